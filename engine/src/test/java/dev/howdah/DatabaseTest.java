package dev.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.Database.HostPort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseTest {
    private static final String SECRET = "hunter2";

    @TempDir
    Path home;

    private Database of(String text, String... environment) {
        Map<String, String> variables = new HashMap<>(Map.of("HOME", home.toString()));
        for (int i = 0; i < environment.length; i += 2) variables.put(environment[i], environment[i + 1]);
        return Database.of(text, variables);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "postgresql://me@h:5433/d | postgresql://me@h:5433/d",
                "postgres://me@h/d | postgresql://me@h:5432/d",
                "postgresql://m%20e:p%40w@h/d%2Fe | postgresql://m%20e@h:5432/d%2Fe",
                "postgresql://me@a:1,b,[::1]:3/d | postgresql://me@a:1,b:5432,[::1]:3/d",
                "postgresql://me@a,b:7/d | postgresql://me@a:5432,b:7/d",
                "postgresql:///d?user=me&host=h&port=6 | postgresql://me@h:6/d",
                "postgresql://me@%2Frun%2Fpg/d | postgresql://me@%2Frun%2Fpg:5432/d",
                "postgresql://me@h/d?ssl=true | postgresql://me@h:5432/d?sslmode=require",
                "postgresql://me@h | postgresql://me@h:5432/me",
                "postgresql://me@ | postgresql://me@localhost:5432/me",
                "host=h port=5 user=me dbname=d | postgresql://me@h:5/d",
                "host = h  port= 5 user =me dbname='a b' | postgresql://me@h:5/a%20b",
                "user='a \\'b\\\\' dbname=x\\ y host=h | postgresql://a%20%27b%5C@h:5432/x%20y",
                "host=h user=me dbname=a dbname=b | postgresql://me@h:5432/b",
                "host=h user=me dbname='' | postgresql://me@h:5432/me",
                "user=me host=a dbname=postgresql://you@b/x | postgresql://you@b:5432/x",
                "user=me dbname='host=b dbname=y' host=c | postgresql://me@c:5432/y",
                "user=me host=h dbname=plain dbname=a=b | postgresql://me@h:5432/a%3Db",
                "user=me hostaddr=127.0.0.1 host=name | postgresql://me@127.0.0.1:5432/me",
                "user=me host=a,b port=7 | postgresql://me@a:7,b:7/me",
                "jdbc:postgresql://h:5/d?user=me&password=hunter2 | postgresql://me@h:5/d",
                "jdbc:postgresql:d?user=me | postgresql://me@localhost:5432/d",
                "jdbc:postgresql:?user=me | postgresql://me@localhost:5432/me",
                "jdbc:postgresql://h/d?user=me&ssl=true | postgresql://me@h:5432/d?sslmode=verify-full",
                "jdbc:postgresql://h/d?user=me&sslmode=require&ssl=true | postgresql://me@h:5432/d?sslmode=require",
                "jdbc:postgresql://a,b/d?user=me&targetServerType=primary | postgresql://me@a:5432,b:5432/d?target_session_attrs=primary",
                "jdbc:postgresql://h/d?user=me&ApplicationName=x+y&connectTimeout=3 | postgresql://me@h:5432/d?application_name=x%20y&connect_timeout=3",
                "jdbc:postgresql://h/d?user=me&prepareThreshold=0 | postgresql://me@h:5432/d",
                "jdbc:postgresql://h/d?user=me&currentSchema=a | postgresql://me@h:5432/d?options=-c%20search_path%3Da",
            })
    void text_inAnyForm_isUnderstood(String text, String uri) {
        assertThat(of(text)).hasToString(uri);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "foo=bar | invalid connection option \"foo\"",
                "hots=bar | invalid connection option \"hots\": did you mean \"host\"?",
                "database=bar | invalid connection option \"database\"",
                "garbage | missing \"=\" after \"garbage\" in connection info string",
                "host=h garbage | missing \"=\" after \"garbage\" in connection info string",
                "host='h | unterminated quoted string in connection info string",
                "port=abc | invalid integer value \"abc\" for connection option \"port\"",
                "port=65536 | invalid port number: \"65536\" (1 to 65535 wanted)",
                "port=0 | invalid port number: \"0\" (1 to 65535 wanted)",
                "host=a,b port=1,2,3 | could not match 3 port numbers to 2 hosts",
                "host=a,b hostaddr=1 | could not match 2 host names to 1 hostaddr values",
                "connect_timeout=soon | invalid integer value \"soon\" for connection option \"connect_timeout\"",
                "sslmode=on | invalid sslmode value: \"on\" (one of [allow, disable, prefer, require, verify-ca, verify-full] wanted)",
                "require_auth=md5 | connection option \"require_auth\" is not supported by Howdah",
                "postgresql://h/d?foo=1 | invalid connection option \"foo\"",
                "postgresql://h/d?foo | missing key/value separator \"=\" in URI query parameter: \"foo\"",
                "postgresql://h/d?host=a=b | extra key/value separator \"=\" in URI query parameter: \"host\"",
                "postgresql://h:x/ | invalid integer value \"x\" for connection option \"port\"",
                "postgresql://[::1/d | missing \"]\" after the IPv6 address in the connection URI",
                "postgresql://[]/d | IPv6 host address may not be empty in URI",
                "postgresql://[::1]x/d | unexpected character \"x\" after the IPv6 address in the connection URI (\":\" or \"/\" wanted)",
                "postgresql://h/d%zz | invalid percent-encoded token in \"dbname\" of the connection URI (write %25 for \"%\")",
                "postgresql://h/d%00 | forbidden value %00 in \"dbname\" of the connection URI",
                "postgresql://h/d%ff | the percent-encoded \"dbname\" of the connection URI is not UTF-8",
                "jdbc:mysql://h/d | not a JDBC URL of PostgreSQL: it does not begin with jdbc:postgresql:",
                "jdbc:postgresql://h/d?nonsense=1 | pgjdbc has no property \"nonsense\"",
                "service=none | definition of service \"none\" not found",
                "service=x servicefile=/none | service file \"/none\" not found",
            })
    void text_withFault_isRefusedInClearWords(String text, String message) {
        assertThatThrownBy(() -> of(text))
                .isInstanceOf(DatabaseAddressException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "password=my hunter2",
                "password=my hunter2=x host=h",
                "password='hunter2",
                "password=hunter2 foo=bar",
                "postgresql://me:p/hunter2@h/d",
                "postgresql://me:hunter2/x@h/d",
                "postgresql://me:p@hunter2@h/d",
                "postgresql://me:123/hunter2@h/d",
                "postgresql://me:hunter2%zz@h/d",
                "postgresql://h/d?password=a&hunter2",
                "postgresql://h/d?password=a&hunter2=b",
                "postgresql://h/d?password=a=hunter2",
                "jdbc:postgresql://me:hunter2@h/d",
                "jdbc:postgresql://h/d?password=a&hunter2",
                "jdbc:postgresql://h/d?password=a&hunter2=b",
                "jdbc:postgresql://h/d?password=%hunter2",
            })
    void text_withFaultAtThePassword_neverShowsIt(String text) {
        assertThatThrownBy(() -> of(text))
                .isInstanceOf(DatabaseAddressException.class)
                .message()
                .doesNotContain(SECRET);
    }

    @Test
    void password_given_isNeitherInTextNorDescription() {
        Database database = of("postgresql://me:hunter2@h/d?sslpassword=hunter2");
        assertThat(database.password(new HostPort("h", 5432))).isEqualTo(SECRET);
        assertThat(database + database.describe()).doesNotContain(SECRET);
        assertThat(database.describe()).isEqualTo("database \"d\" at h:5432 as user \"me\"");
    }

    @Test
    void environment_whateverTheTextLeavesOpen_isTakenFromIt() {
        Database database = of(
                "host=h",
                "PGHOST",
                "other",
                "PGPORT",
                "7",
                "PGUSER",
                "u",
                "PGDATABASE",
                "d",
                "PGPASSWORD",
                SECRET,
                "PGAPPNAME",
                "app",
                "PGCONNECT_TIMEOUT",
                "3",
                "PGTARGETSESSIONATTRS",
                "primary");
        assertThat(database)
                .hasToString(
                        "postgresql://u@h:7/d?application_name=app&connect_timeout=3&target_session_attrs=primary");
        assertThat(database.connectTimeout()).isEqualTo(Duration.ofSeconds(3));
        assertThat(database.password(database.hosts().get(0))).isEqualTo(SECRET);
    }

    @Test
    void environment_withFault_isRefused() {
        assertThatThrownBy(() -> of("", "PGPORT", "many"))
                .hasMessage("invalid integer value \"many\" for connection option \"port\"");
    }

    @Test
    void nothing_given_meansDefaults() {
        Database database = of("");
        assertThat(database.hosts()).containsExactly(new HostPort("localhost", 5432));
        assertThat(database.user()).isEqualTo(System.getProperty("user.name"));
        assertThat(database.database()).isEqualTo(database.user());
        assertThat(database.connectTimeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(database.parameter("password")).isNull();
        assertThat(database.applicationName()).isEqualTo("howdah");
    }

    @Test
    void service_inTheFileAtHome_goesBetweenTextAndEnvironment() throws IOException {
        Files.writeString(home.resolve(".pg_service.conf"), """
                # comment
                [other]
                host=wrong

                [prod]
                host=db.example
                port=6000
                port=7000
                user=svc
                [last]
                host=wrong
                """);
        assertThat(of("service=prod user=me", "PGPORT", "1", "PGDATABASE", "d"))
                .hasToString("postgresql://me@db.example:6000/d");
        assertThat(of("", "PGSERVICE", "prod")).hasToString("postgresql://svc@db.example:6000/svc");
        assertThat(of("postgresql://?service=prod")).hasToString("postgresql://svc@db.example:6000/svc");
    }

    @Test
    void service_missingAtHome_isLookedForInTheCommonFile() throws IOException {
        Files.createDirectories(home.resolve("etc"));
        Files.writeString(home.resolve("etc/pg_service.conf"), "[s]\nhost=common\nuser=u\n");
        assertThat(of("service=s", "PGSYSCONFDIR", home.resolve("etc").toString()))
                .hasToString("postgresql://u@common:5432/u");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nonsense | syntax error in service file",
                "service=x | nested \"service\" specifications not supported in service file",
                "hunter2=x | unknown connection option in service file",
            })
    void service_withFault_namesFileAndLine(String line, String message) throws IOException {
        Path file = Files.writeString(home.resolve("services"), "[s]\nhost=h\n" + line + "\n");
        assertThatThrownBy(() -> of("service=s", "PGSERVICEFILE", file.toString()))
                .hasMessage(message + " \"" + file + "\", line 3");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "h:5432:d:me:hunter2 | hunter2",
                "*:*:*:*:hunter2 | hunter2",
                "h:1:d:me:wrong;h:*:d:me:hunter2;*:*:*:*:late | hunter2",
                "#h:5432:d:me:wrong;h:5432:d:me:hunter2 | hunter2",
                "h:5432:d:me:a\\:b\\\\c | a:b\\c",
                "h:5432:d:me:a:b | a:b",
                "h:5432:d | ",
                "h:5432:d:you:wrong | ",
            })
    void passwordFile_firstLineThatFits_counts(String lines, String password) throws IOException {
        passwordFile(".pgpass", lines.replace(';', '\n'), "rw-------");
        Database database = of("postgresql://me@h/d");
        assertThat(database.password(database.hosts().get(0))).isEqualTo(password);
    }

    @Test
    void passwordFile_withColonsInNames_findsThemEscaped() throws IOException {
        Path file = passwordFile("elsewhere", "\\:\\:1:5432:d\\\\:me:hunter2\n", "rw-------");
        Database database = of("postgresql://me@[::1]/d%5C", "PGPASSFILE", file.toString());
        assertThat(database.password(database.hosts().get(0))).isEqualTo(SECRET);
    }

    @Test
    void passwordFile_readableByOthers_isIgnored() throws IOException {
        passwordFile(".pgpass", "*:*:*:*:hunter2\n", "rw-r-----");
        Database database = of("postgresql://me@h/d");
        assertThat(database.password(database.hosts().get(0))).isNull();
    }

    @Test
    void passwordFile_afterChangeOfUser_isAskedForTheNewOne() throws IOException {
        passwordFile(".pgpass", "*:*:*:a:one\n*:*:*:b:two\n", "rw-------");
        Database database = of("postgresql://a@h/d").withUser("b");
        assertThat(database.password(database.hosts().get(0))).isEqualTo("two");
    }

    private Path passwordFile(String name, String text, String permissions) throws IOException {
        Path file = Files.writeString(home.resolve(name), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    @Test
    void changes_ofOneThing_leaveTheOriginalAsItIs() {
        Database database = of("postgresql://me@h/d");
        assertThat(database.withDatabase("x").with("sslmode", "disable"))
                .hasToString("postgresql://me@h:5432/x?sslmode=disable");
        assertThat(database).hasToString("postgresql://me@h:5432/d").isEqualTo(of("postgresql://me@h/d"));
        assertThat(of("postgresql://me@h").withUser("you").database()).isEqualTo("you");
        assertThatThrownBy(() -> database.with("foo", "x")).isInstanceOf(DatabaseAddressException.class);
        assertThatThrownBy(() -> database.with("port", "x")).isInstanceOf(DatabaseAddressException.class);
        assertThatThrownBy(() -> database.with("service", "x")).isInstanceOf(DatabaseAddressException.class);
    }

    @Test
    void text_ofADatabase_isReadBackToTheSame() {
        Database database = of(
                "host=/run/pg,[::1] port=1,2 user='a@b:c/d' dbname='x?y&z' options='-c a=b'".replace("[::1]", "::1"));
        assertThat(of(database.toString())).hasToString(database.toString());
        assertThat(of(database.toString()).hosts()).isEqualTo(database.hosts());
    }

    @Test
    void jdbc_toAUnixSocket_saysThatAHostIsNeeded() {
        assertThatThrownBy(() -> of("host=/run/pg user=me").connect())
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("/run/pg")
                .hasMessageContaining("a host name or address is needed");
    }

    @Test
    void sslMode_requireWithARootCertificate_verifies() {
        assertThat(of("").sslMode()).isEqualTo("prefer");
        assertThat(of("sslmode=require").sslMode()).isEqualTo("require");
        assertThat(of("sslmode=require sslrootcert=/x").sslMode()).isEqualTo("verify-ca");
    }

    @Test
    void beginningWith_oneOfItsServers_triesThatOneFirst() {
        Database three = Database.of("host=a,b,c port=1,2,3 dbname=d user=u load_balance_hosts=random");
        assertThat(three.beginningWith(new Database.HostPort("c", 3)).hosts())
                .containsExactly(
                        new Database.HostPort("c", 3), new Database.HostPort("a", 1), new Database.HostPort("b", 2));
        assertThat(three.beginningWith(new Database.HostPort("elsewhere", 3))).isSameAs(three);
        assertThat(three.beginningWith(new Database.HostPort("a", 1)).parameter("load_balance_hosts"))
                .as("otherwise another one may be tried first")
                .isNull();
        Database ordered = Database.of("host=a,b port=1,2 dbname=d user=u");
        assertThat(ordered.beginningWith(new Database.HostPort("a", 1))).isSameAs(ordered);
    }

    @Test
    void beginningWith_oneOfItsAddresses_keepsTheNamesWithThem() {
        Database two = Database.of("host=a,b hostaddr=127.0.0.1,127.0.0.2 port=5 dbname=d user=u")
                .beginningWith(new Database.HostPort("127.0.0.2", 5));
        assertThat(two.hosts())
                .containsExactly(new Database.HostPort("127.0.0.2", 5), new Database.HostPort("127.0.0.1", 5));
        assertThat(two.parameter("host")).isEqualTo("b,a");
        assertThat(two.parameter("hostaddr")).isEqualTo("127.0.0.2,127.0.0.1");
    }
}
