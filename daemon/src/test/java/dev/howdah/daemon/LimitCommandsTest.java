package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code howdah job limit}: the same as the functions of SQL. */
@PostgresTest
class LimitCommandsTest {
    private final TestDatabase database;

    LimitCommandsTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void install() {
        CommandLineRun.installJobs(database);
    }

    private String run(String command, String... words) {
        CommandLineRun run = command(command, words);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out();
    }

    private CommandLineRun command(String command, String... words) {
        List<String> all = new ArrayList<>(List.of("job"));
        all.addAll(List.of(command.split(" ")));
        all.addAll(List.of("--url", database.uri()));
        all.addAll(List.of(words));
        return CommandLineRun.of("", Map.of("HOME", "/nonexistent"), all.toArray(String[]::new));
    }

    private String settings() {
        return database.query("SELECT kind, group_name, each_group, each_node, setting, value FROM howdah.limits"
                        + " ORDER BY setting, kind, group_name, each_group, each_node, value")
                .toString();
    }

    @Test
    void logQueues_areCreatedAndReadBySeveral() {
        assertThat(run("log-queue create", "clicks", "--keep", "7 days")).isEqualTo("Log queue clicks is created.\n");
        assertThat(run("log-queue create", "clicks", "--keep", "7 days", "--json"))
                .isEqualTo("{\"changed\":false}\n");
        assertThat(run("log-queue add-reader", "clicks", "fraud", "--since", "2000-01-01"))
                .isEqualTo("Reader fraud of log queue clicks is added; its jobs are in queue clicks/fraud.\n");
        assertThat(run("log-queue add-reader", "clicks", "fraud", "--json"))
                .isEqualTo("{\"changed\":false,\"jobs_in\":\"clicks/fraud\"}\n");
        run("add", "click", "\"/\"", "--queue", "clicks");
        assertThat(run("log-queue list", "--json"))
                .contains("{\"queue\":\"clicks\",\"reader\":null,\"jobs_in\":\"clicks\",\"waiting\":1,")
                .contains("\"reader\":\"fraud\",\"jobs_in\":\"clicks/fraud\",\"waiting\":1,")
                .contains("\"keep\":\"PT168H\"");
        assertThat(run("log-queue seek", "clicks", "2100-01-01", "--reader", "fraud"))
                .isEqualTo("Reader fraud of log queue clicks is moved.\n");
        assertThat(run("log-queue list", "--json")).contains("\"jobs_in\":\"clicks/fraud\",\"waiting\":0,");
        assertThat(run("log-queue limit", "clicks", "10 GB")).isEqualTo("The bound of log queue clicks is set.\n");
        assertThat(run("log-queue list", "--json")).contains("\"unread\":0,\"most_unread\":10737418240");
        assertThat(command("log-queue limit", "clicks", "10 kB").err())
                .contains("MOST has to be a size of 1 MB or more, such as 10 GB, or none, not \"10 kB\"");
        assertThat(run("log-queue limit", "clicks", "none")).isEqualTo("The bound of log queue clicks is set.\n");
        assertThat(run("log-queue list", "--json")).contains("\"most_unread\":null");
        assertThat(run("log-queue drop-reader", "clicks", "fraud"))
                .isEqualTo("Reader fraud of log queue clicks is dropped.\n");
        CommandLineRun again = command("log-queue drop-reader", "clicks", "fraud");
        assertThat(again.exitCode()).isEqualTo(1);
        assertThat(again.err()).contains("there is no reader fraud of log queue clicks");
        assertThat(run("log-queue list", "--json")).doesNotContain("fraud");
        assertThat(command("log-queue seek", "orders", "2100-01-01").err()).contains("there is no log queue orders");
        assertThat(command("add", "click", "1", "--queue", "clicks", "--delay", "5 s")
                        .err())
                .contains("a job with a")
                .contains("cannot be added to the log queue \"clicks\"");
    }

    @Test
    void limits_setByCommands_areThoseOfSql_andCanBeRemoved() {
        database.execute("SELECT howdah.limit('mail', 20), howdah.limit('mail', 5, each_node => true),"
                + " howdah.limit('mail', 3, each_group => true), howdah.rate_limit('mail', 100, '1 minute', burst => 10),"
                + " howdah.rate_limit('mail', 5, '1 s', kind => 'newsletter'), howdah.share('mail', 'acme', 2.5),"
                + " howdah.age('mail', '10 min', 20)");
        String bySql = settings();
        for (String table : List.of("queue_limit", "rate_limit", "group_share", "queue_ageing"))
            database.execute("DELETE FROM howdah_internal." + table);
        assertThat(run("limit concurrency", "mail", "20")).isEqualTo("The limit of queue mail is set.\n");
        run("limit concurrency", "mail", "5", "--each-node");
        run("limit concurrency", "mail", "3", "--each-group");
        run("limit rate", "mail", "100", "1 minute", "--burst", "10");
        run("limit rate", "mail", "5", "1 s", "--kind", "newsletter");
        run("limit share", "mail", "acme", "2.5");
        run("limit ageing", "mail", "10 min", "--most", "20");
        assertThat(settings()).isEqualTo(bySql);
        assertThat(run("limit list", "--json").lines()).hasSize(7);
        run("limit remove", "mail", "concurrency");
        run("limit remove", "mail", "concurrency", "--each-node");
        run("limit remove", "mail", "concurrency", "--each-group");
        run("limit remove", "mail", "rate", "--period", "1 minute");
        run("limit remove", "mail", "rate", "--kind", "newsletter");
        run("limit remove", "mail", "ageing");
        run("limit share", "mail", "acme", "1");
        assertThat(settings()).isEqualTo("[]");
    }

    @Test
    void add_withGroupAndWeight_storesBoth() {
        run("add", "welcome", "1", "--group", "acme", "--weight", "3");
        assertThat(
                        database.value(
                                "SELECT j.more::text || l.group_name FROM howdah_internal.job j JOIN howdah_internal.lane l ON l.id = j.lane"))
                .isEqualTo("{\"group\": \"acme\", \"weight\": 3}acme");
    }

    @Test
    void limits_thatAreNone_areRefusedInOneLine() {
        for (String[] words : new String[][] {
            {"limit concurrency", "mail", "0"},
            {"limit rate", "mail", "1", "0 s"},
            {"limit remove", "mail", "speed"},
            {"limit share", "mail", "acme", "-1"}
        }) {
            String[] rest = java.util.Arrays.copyOfRange(words, 1, words.length);
            CommandLineRun run = command(words[0], rest);
            assertThat(run.exitCode()).as(run.out()).isNotZero();
            assertThat(run.err()).startsWith("howdah: ").hasLineCount(1);
        }
    }
}
