package dev.howdah.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.daemon.console.CliException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigurationTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path home;

    private Configuration read(Map<Setting, String> flags, Map<String, String> environment) {
        Map<String, String> all = new HashMap<>(environment);
        all.put("HOME", home.toString());
        return Configuration.of(flags, all);
    }

    private Path file(String name, String text) throws IOException {
        Path file = home.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    @Test
    void settings_nothingGiven_areTheDefaults() {
        Configuration configuration = read(Map.of(), Map.of());
        assertThat(configuration.data()).isEqualTo(home.resolve(".howdah"));
        assertThat(configuration.usualData()).isTrue();
        assertThat(configuration.url()).isEmpty();
        assertThat(configuration.find(Setting.PG_PORT)).isEmpty();
        assertThat(configuration.text(Setting.SCHEMA)).isEqualTo("public");
        assertThat(configuration.text(Setting.TABLE)).isEqualTo("task");
        assertThat(configuration.number(Setting.SESSIONS)).isEqualTo(40);
    }

    @Test
    void shown_saysSourcesAndNoSecrets() throws IOException {
        file(".howdah/howdah.properties", "workers = 7\n");
        Map<String, String> shown = read(
                        Map.of(Setting.CONSOLE_MASK, "hunter2", Setting.URL, "postgresql://me:hunter2@db/shop"),
                        Map.of("HOWDAH_SCHEMA", "jobs", "HOWDAH_HTTP_ALLOW", "https://me:hunter2@api.example"))
                .shown();
        assertThat(shown)
                .containsEntry("--workers", "7 (file)")
                .containsEntry("--schema", "jobs (environment)")
                .containsEntry("--url", "set (option)")
                .containsEntry("--console-mask", "set (option)")
                .containsEntry("--http-allow", "set (environment)")
                .containsEntry("--sessions", "40 (not set)")
                .hasSize(Setting.values().length);
        assertThat(shown.toString()).doesNotContain("hunter2");
    }

    @Test
    void settings_givenInAllPlaces_flagBeatsEnvironmentBeatsFile() throws IOException {
        file(".howdah/howdah.properties", "# mine\n\nsessions = 1\ntable=from_file\nschema=from_file\n");
        Configuration configuration =
                read(Map.of(Setting.SESSIONS, "3"), Map.of("HOWDAH_SESSIONS", "2", "HOWDAH_TABLE", "from_env"));
        assertThat(configuration.number(Setting.SESSIONS)).isEqualTo(3);
        assertThat(configuration.text(Setting.TABLE)).isEqualTo("from_env");
        assertThat(configuration.text(Setting.SCHEMA)).isEqualTo("from_file");
    }

    @Test
    void file_unknownKey_namesPlaceAndNearest() throws IOException {
        Path file = file("mine.conf", "url=x\n\npg-prot=5433\n");
        assertThatThrownBy(() -> read(Map.of(Setting.CONFIG, file.toString()), Map.of()))
                .isInstanceOf(CliException.class)
                .hasMessage("unknown key \"pg-prot\" in " + file + " line 3: did you mean \"pg-port\"?");
    }

    @Test
    void file_badLineOrValueOrTwice_isRefused() throws IOException {
        assertThatThrownBy(() ->
                        read(Map.of(Setting.CONFIG, file("a", "pg-port\n").toString()), Map.of()))
                .hasMessageEndingWith("line 1 is not key=value");
        assertThatThrownBy(() ->
                        read(Map.of(Setting.CONFIG, file("b", "pg-port=70000\n").toString()), Map.of()))
                .hasMessageMatching("pg-port in .*b line 1 has to be a number from 0 to 65535, not \"70000\"");
        assertThatThrownBy(() -> read(
                        Map.of(Setting.CONFIG, file("c", "table=a\ntable=b\n").toString()), Map.of()))
                .hasMessageContaining("was set before");
        assertThatThrownBy(() -> read(Map.of(), Map.of("HOWDAH_CONFIG", home + "/none")))
                .hasMessage("HOWDAH_CONFIG: there is no file " + home.resolve("none"));
    }

    @Test
    void file_inDataDirectory_cannotMoveIt() throws IOException {
        file(".howdah/howdah.properties", "data=/elsewhere\n");
        assertThatThrownBy(() -> read(Map.of(), Map.of())).hasMessageContaining("cannot move that directory");
    }

    @Test
    void environment_unknownVariable_namesNearest() {
        assertThatThrownBy(() -> read(Map.of(), Map.of("HOWDAH_PG_PROT", "1")))
                .hasMessage("unknown variable HOWDAH_PG_PROT in the environment: did you mean \"HOWDAH_PG_PORT\"?");
        assertThat(read(Map.of(), Map.of("HOWDAH_JAVA_OPTS", "-Xmx64m", "HOWDAH_URL", "", "OTHER", "x"))
                        .url())
                .isEmpty();
    }

    @Test
    void flag_badValue_saysWhatWouldBeRight() {
        assertThatThrownBy(() -> read(Map.of(Setting.PG_AUTH, "none"), Map.of()))
                .hasMessage("--pg-auth has to be trust or password, not \"none\"");
        assertThatThrownBy(() -> read(Map.of(Setting.SESSIONS, "0"), Map.of()))
                .hasMessage("--sessions has to be a number from 1 to 10000, not \"0\"");
        assertThatThrownBy(() -> read(Map.of(Setting.RIGHTS, "mine"), Map.of()))
                .hasMessage("--rights has to be owner or scheduler, not \"mine\"");
        assertThatThrownBy(() -> read(Map.of(Setting.LEASE, "1"), Map.of()))
                .hasMessage("--lease has to be a number of seconds from 2 to 3600, not \"1\"");
    }

    /** @param used what counts: the database of the URL, the data directory, or neither, since that is refused */
    @ParameterizedTest
    @CsvSource({
        // URL in     directory in   used
        "nothing,     nothing,       directory",
        "nothing,     option,        directory",
        "nothing,     environment,   directory",
        "nothing,     config,        directory",
        "option,      nothing,       url",
        "option,      option,        refused",
        "option,      environment,   url",
        "option,      config,        url",
        "environment, nothing,       url",
        "environment, option,        directory",
        "environment, environment,   url",
        "environment, config,        url",
        "config,      nothing,       url",
        "config,      option,        refused",
        "config,      environment,   refused",
        "config,      config,        url",
        // The file of the directory itself, which is not read where --config names another one.
        "own,         nothing,       url",
        "own,         option,        url",
        "own,         environment,   url",
        "own,         config,        directory",
    })
    void url_andDataDirectory_theCloserOneCounts(String urlIn, String directoryIn, String used) throws IOException {
        String data = directoryIn.equals("nothing") ? ".howdah" : "other";
        for (boolean configByOption : new boolean[] {true, false}) {
            Map<Setting, String> flags = new EnumMap<>(Setting.class);
            Map<String, String> environment = new HashMap<>();
            String directory = home.resolve(data).toString();
            if (urlIn.equals("option")) flags.put(Setting.URL, "u");
            if (urlIn.equals("environment")) environment.put("HOWDAH_URL", "u");
            if (urlIn.equals("own")) file(data + "/howdah.properties", "url=u\n");
            if (directoryIn.equals("option")) flags.put(Setting.DATA, directory);
            if (directoryIn.equals("environment")) environment.put("HOWDAH_DATA", directory);
            if (urlIn.equals("config") || directoryIn.equals("config")) {
                String config = file(
                                "mine.conf",
                                (urlIn.equals("config") ? "url=u\n" : "")
                                        + (directoryIn.equals("config") ? "data=" + directory + "\n" : ""))
                        .toString();
                if (configByOption) flags.put(Setting.CONFIG, config);
                else environment.put("HOWDAH_CONFIG", config);
            }
            Configuration configuration = read(flags, environment);
            assertThat(configuration.data()).isEqualTo(home.resolve(data));
            if (used.equals("refused")) assertThatThrownBy(configuration::url).hasMessageContaining("not both");
            else assertThat(configuration.url()).isEqualTo(used.equals("url") ? Optional.of("u") : Optional.empty());
        }
    }

    @Test
    void data_andConfig_givenInSeveralPlaces_theCloserOneCounts() throws IOException {
        file("near/howdah.properties", "table=near\n");
        file("far/howdah.properties", "table=far\n");
        String near = home.resolve("near").toString();
        String far = home.resolve("far").toString();
        Configuration ofOption = read(Map.of(Setting.DATA, near), Map.of("HOWDAH_DATA", far));
        assertThat(ofOption.data()).isEqualTo(Path.of(near));
        assertThat(ofOption.text(Setting.TABLE)).isEqualTo("near");
        assertThat(read(Map.of(), Map.of("HOWDAH_DATA", far)).text(Setting.TABLE))
                .isEqualTo("far");
        String config = file("mine.conf", "data=" + far + "\n").toString();
        String other = file("other.conf", "data=" + home + "/third\n").toString();
        // The file of a directory is not read where --config names another one, even of a directory that the file
        // names.
        Configuration ofFile = read(Map.of(Setting.CONFIG, config), Map.of("HOWDAH_CONFIG", other));
        assertThat(ofFile.data()).isEqualTo(Path.of(far));
        assertThat(ofFile.text(Setting.TABLE)).isEqualTo("task");
        assertThat(read(Map.of(Setting.CONFIG, config), Map.of("HOWDAH_DATA", near))
                        .data())
                .isEqualTo(Path.of(near));
    }

    @Test
    void url_inTheFileThatTheCommandNames_isNeverPassedOver() throws IOException {
        String file = file("etc/shop.properties", "# the database\nurl=postgresql://db/shop\n")
                .toString();
        assertThat(read(Map.of(Setting.CONFIG, file), Map.of("STATE_DIRECTORY", "/var/lib/howdah"))
                        .url())
                .contains("postgresql://db/shop");
        assertThatThrownBy(() -> read(Map.of(Setting.CONFIG, file, Setting.DATA, "/srv/d"), Map.of())
                        .url())
                .hasMessage("--data and url in " + file
                        + " line 2: a data directory or an existing database, not both; leave out one of them");
        assertThatThrownBy(() -> read(Map.of(Setting.CONFIG, file), Map.of("HOWDAH_DATA", "/srv/d"))
                        .url())
                .hasMessageStartingWith("HOWDAH_DATA and url in " + file + " line 2");
        // One file says both: the directory is where the daemon keeps what it needs beside the database.
        String both = file("etc/both.properties", "url=u\ndata=/srv/d\n").toString();
        assertThat(read(Map.of(Setting.CONFIG, both), Map.of()).url()).contains("u");
    }

    @Test
    void data_underSystemd_isBelowTheStateOfTheService() {
        Configuration service = read(Map.of(), Map.of("STATE_DIRECTORY", "/var/lib/howdah/shop:/var/lib/other"));
        assertThat(service.data()).hasToString("/var/lib/howdah/shop/data");
        assertThat(service.usualData()).isFalse();
        assertThat(service.url()).isEmpty();
        assertThat(read(Map.of(Setting.DATA, "/srv/d"), Map.of("STATE_DIRECTORY", "/var/lib/howdah"))
                        .data())
                .hasToString("/srv/d");
    }

    @Test
    void data_tilde_isTheHome() {
        assertThat(read(Map.of(Setting.DATA, "~/x/../y"), Map.of()).data()).isEqualTo(home.resolve("y"));
        assertThat(read(Map.of(Setting.DATA, "~"), Map.of()).data()).isEqualTo(home);
    }
}
