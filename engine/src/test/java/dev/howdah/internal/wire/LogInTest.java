package dev.howdah.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.howdah.Database;
import dev.howdah.fixtures.TestCertificate;
import dev.howdah.fixtures.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every way to log in, with and without TLS, on rules of pg_hba.conf that concern roles of this test only. */
class LogInTest {
    private static final String PASSWORD = "hün ter2";

    @TempDir
    static Path directory;

    private static TestDatabase database;
    private static Path rules;
    private static String rulesBefore;

    @BeforeAll
    static void prepareServer() throws Exception {
        database = TestDatabase.create();
        String me = database.name();
        database.execute("SET password_encryption = 'scram-sha-256'; CREATE ROLE " + me + "_scram LOGIN PASSWORD '"
                + PASSWORD + "';"
                + "CREATE ROLE " + me + "_clear LOGIN PASSWORD '" + PASSWORD + "';"
                + "CREATE ROLE " + me + "_tls LOGIN PASSWORD '" + PASSWORD + "';"
                + "CREATE ROLE " + me + "_plain LOGIN; CREATE ROLE " + me + "_nobody LOGIN;"
                + "SET password_encryption = 'md5'; CREATE ROLE " + me + "_md5 LOGIN PASSWORD '" + PASSWORD + "'");
        rules = Path.of(Objects.requireNonNull(database.value("SHOW hba_file")));
        rulesBefore = Files.readString(rules);
        Files.writeString(
                rules,
                String.join(
                        "\n",
                        "host all " + me + "_scram all scram-sha-256",
                        "host all " + me + "_clear all password",
                        "host all " + me + "_md5 all md5",
                        "hostssl all " + me + "_tls all scram-sha-256",
                        "hostnossl all " + me + "_plain all trust",
                        "host all " + me + "_nobody all reject",
                        "host all " + me + "_tls all reject",
                        "host all " + me + "_plain all reject",
                        rulesBefore));
        Path data = Path.of(Objects.requireNonNull(database.value("SHOW data_directory")));
        TestCertificate certificate = TestCertificate.of("localhost");
        certificate.install(data, "wire-test");
        Files.writeString(directory.resolve("root.crt"), certificate.certificate());
        database.execute("ALTER SYSTEM SET ssl_cert_file = 'wire-test.crt'");
        database.execute("ALTER SYSTEM SET ssl_key_file = 'wire-test.key'");
        database.execute("ALTER SYSTEM SET ssl = on");
        reload("ssl", "on");
    }

    @AfterAll
    static void restoreServer() throws Exception {
        Files.writeString(rules, rulesBefore);
        for (String setting : new String[] {"ssl", "ssl_cert_file", "ssl_key_file"})
            database.execute("ALTER SYSTEM RESET " + setting);
        reload("ssl", "off");
        for (String role : new String[] {"scram", "clear", "tls", "plain", "nobody", "md5"})
            database.execute("DROP ROLE " + database.name() + "_" + role);
        database.close();
    }

    /** The postmaster reads its files some time after it was told to; new sessions show when it has. */
    private static void reload(String setting, String expected) {
        database.execute("SELECT pg_reload_conf()");
        Awaitility.await().until(() -> expected.equals(database.value("SHOW " + setting)));
    }

    private static Database address(String role, String sslMode) {
        return Database.of(database.uri(), Map.of())
                .withUser(database.name() + "_" + role)
                .with("password", PASSWORD)
                .with("sslmode", sslMode);
    }

    private static WireConnection open(Database address) throws WireException {
        return WireConnection.open(address, Map.of(), Duration.ofSeconds(10));
    }

    private static WireException failure(Database address) {
        return catchThrowableOfType(WireException.class, () -> open(address).close());
    }

    @ParameterizedTest
    @CsvSource({
        "scram, disable, false", "scram, prefer, true", "scram, allow, false", "scram, require, true",
        "clear, disable, false", "clear, require, true", "md5, disable, false", "md5, require, true",
        "tls, allow, true", "tls, prefer, true", "plain, prefer, false", "plain, allow, false",
    })
    void role_ofEachKind_isLetIn(String role, String sslMode, boolean encrypted) throws WireException {
        try (WireConnection connection = open(address(role, sslMode))) {
            assertThat(connection.isEncrypted()).isEqualTo(encrypted);
            Recorder recorder = new Recorder(connection::charset);
            connection.query("SELECT current_user AS u", recorder);
            assertThat(recorder.events).contains("row " + database.name() + "_" + role);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"scram", "clear", "md5"})
    void password_thatIsWrong_isRefusedAndNotShown(String role) {
        WireException failure = failure(address(role, "prefer").with("password", "hunter3"));
        assertThat(failure.sqlState()).isEqualTo("28P01");
        assertThat(failure).hasMessageContaining("password authentication failed");
        assertThat(failure.toString()).doesNotContain("hunter3");
    }

    @ParameterizedTest
    @ValueSource(strings = {"scram", "clear", "md5"})
    void password_thatIsMissing_isSaidWithTheWaysToGiveIt(String role) {
        Database address = address(role, "disable").with("password", "").with("passfile", "/nonexistent");
        assertThat(failure(address))
                .hasMessage("no password for user \"" + database.name() + "_" + role
                        + "\" (set PGPASSWORD, a password file, or password in the connection string)");
    }

    @Test
    void role_thatIsRejected_isToldWhyInEachMode() {
        WireException failure = failure(address("nobody", "prefer"));
        assertThat(failure.sqlState()).isEqualTo("28000");
        assertThat(failure).hasMessageMatching("(?s).*(SSL encryption|SSL on).*(no encryption|SSL off).*");
        assertThat(failure(address("tls", "disable")).sqlState()).isEqualTo("28000");
    }

    @Test
    void channelBinding_required_isHadWithScramOverTlsOnly() throws WireException {
        open(address("scram", "require").with("channel_binding", "require")).close();
        open(address("scram", "require").with("channel_binding", "disable")).close();
        for (Database address :
                new Database[] {address("scram", "disable"), address("clear", "require"), address("md5", "require")})
            assertThat(failure(address.with("channel_binding", "require")))
                    .hasMessageContaining("channel_binding=require");
    }

    @Test
    void certificate_ofTheServer_isVerifiedAsAsked() throws Exception {
        Database known = address("scram", "verify-full")
                .with("sslrootcert", directory.resolve("root.crt").toString());
        open(known.with("host", "localhost")).close();
        open(known.with("sslmode", "verify-ca")).close();
        assertThat(failure(known)).hasMessageContaining("127.0.0.1").hasMessageContaining("certificate");
        assertThat(failure(known.with("sslrootcert", "/nonexistent"))).hasMessageContaining("/nonexistent");
        try (Connection connection = known.with("host", "localhost").connect()) {
            assertThat(connection.isValid(5)).isTrue();
        }
        assertThatThrownBy(known::connect).hasMessageContaining("127.0.0.1");
    }

    @Test
    void cancel_ofAnEncryptedSession_isEncryptedToo() throws WireException {
        try (WireConnection connection = open(address("scram", "require"))) {
            Recorder recorder = new Recorder(connection::charset) {
                @Override
                public void notice(ServerMessage message) {
                    try {
                        connection.cancel();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }
            };
            connection.query("DO $$BEGIN RAISE NOTICE 'running'; PERFORM pg_sleep(60); END$$", recorder);
            assertThat(recorder.events).containsExactly("ERROR: canceling statement due to user request (57014)");
        }
    }

    @Test
    void rows_overTls_passThroughAndAbortEndsThem() throws WireException {
        WireConnection connection = open(address("scram", "require"));
        Recorder recorder = new Recorder(connection::charset) {
            private int rows;

            @Override
            public void row(byte[] buffer, int[] offsets, int[] lengths) {
                if (++rows == 100_000) connection.abort();
            }
        };
        assertThatThrownBy(() -> connection.query("SELECT generate_series(1, 100000000)", recorder))
                .isInstanceOf(WireException.class)
                .hasMessageEndingWith("was closed");
    }
}
