package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.store.TokenStore;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sweeps that are started by the form of the console. */
@PostgresTest
class SweepStartTest {
    private static final String FORM = "/sweeps/new";

    private static TestDatabase database;
    private static Console console;
    private static ConsoleClient client;

    @BeforeAll
    static void start(TestDatabase shared) {
        database = shared;
        console = ConsoleFixtures.console(shared)
                .startSweeps(ConsoleFixtures.source(shared))
                .start();
        client = new ConsoleClient(console.address());
    }

    @AfterAll
    static void stop() {
        console.close();
    }

    @BeforeEach
    void fill() {
        database.execute(
                "DROP TABLE IF EXISTS invoice; CREATE TABLE invoice (id bigint PRIMARY KEY, net int, gross int, note text);"
                        + " INSERT INTO invoice (id, net) SELECT i, i FROM generate_series(1, 300) i");
    }

    private static String form(String... pairs) {
        StringBuilder form = new StringBuilder();
        for (int i = 0; i < pairs.length; i += 2)
            form.append(i == 0 ? "" : "&")
                    .append(pairs[i])
                    .append('=')
                    .append(URLEncoder.encode(pairs[i + 1], StandardCharsets.UTF_8));
        return form.toString();
    }

    private static String gross(String name, String... more) {
        String[] usual = {
            "name",
            name,
            "table",
            "invoice",
            "key",
            "id",
            "where",
            "gross IS NULL",
            "work",
            "mark",
            "mark",
            "gross = net * 119 / 100",
            "workers",
            "2"
        };
        return form(usual) + (more.length == 0 ? "" : "&" + form(more));
    }

    private static String text(HttpResponse<String> answer) {
        return ConsoleFixtures.text(answer);
    }

    private static void awaitState(String name, String state) {
        await().atMost(Patience.LIMIT)
                .until(() -> state.equals(
                        database.value("SELECT max(state) FROM howdah.sweep WHERE name = '" + name + "'")));
    }

    /** Also until the console has let go of it, a moment later: before that it is not started again. */
    private static void awaitDone(String name) {
        awaitState(name, "done");
        String link = "/sweeps/" + name + "/start\">Start again</a>";
        await().atMost(Patience.LIMIT)
                .until(() -> client.get("/sweeps/" + name).body().contains(link));
    }

    @Test
    void form_checksThenStarts_andTheAuditLogHasTheSql() {
        String checked = text(client.submit(FORM, FORM, gross("gross") + "&check=yes"));
        assertThat(checked)
                .contains("<strong>300 rows</strong>", "privileges of the role <code>postgres</code>")
                .contains("name=\"table\" value=\"&#34;public&#34;.&#34;invoice&#34;\"", "Start the sweep");
        assertThat(database.value("SELECT count(gross) FROM invoice")).isEqualTo("0");

        HttpResponse<String> started = client.submit(FORM, FORM, gross("gross"));
        assertThat(started.headers().firstValue("Location").orElse("")).endsWith("/sweeps/gross");
        awaitDone("gross");
        assertThat(database.value("SELECT count(*) FROM invoice WHERE gross = net * 119 / 100"))
                .isEqualTo("300");
        await().atMost(Patience.LIMIT)
                .until(() -> !"0"
                        .equals(database.value(
                                "SELECT count(*) FROM howdah.audit WHERE message LIKE 'Done: 300 rows%'")));
        assertThat(database.value("SELECT count(*) FROM howdah.audit WHERE action = 'sweeps.new'"
                        + " AND after ->> 'name' = 'gross' AND after ->> 'mark' = 'gross = net * 119 / 100'"))
                .isEqualTo("2");
    }

    @Test
    void form_saysWhatIsWrongBesideItsField() {
        String wrong = text(client.submit(FORM, FORM, form("check", "yes", "table", "nowhere", "workers", "400")));
        assertThat(wrong)
                .contains(
                        "the sweep needs a name", "the sweep needs a condition", "the sweep needs the columns of a key")
                .contains("there is no SQL", "the number of workers is a number from 1 to 16, not \"400\"");
        assertThat(text(client.submit(FORM, FORM, gross("typo").replace("gross+%3D", "grosz+%3D") + "&check=yes")))
                .contains("It cannot be started: ", "is not accepted by PostgreSQL");
        assertThat(client.submit(FORM, FORM, form("name", "x")).statusCode()).isEqualTo(400);
    }

    @Test
    void address_runsNoSql() {
        database.execute("CREATE SEQUENCE lure");
        String address =
                FORM + "?" + gross("lure").replace("gross+IS+NULL", "nextval%28%27lure%27%29+%3E+0") + "&check=yes";
        HttpResponse<String> answer = client.get(address);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("checked by its button only");
        client.get("/stream?view=" + URLEncoder.encode(address, StandardCharsets.UTF_8));
        client.post(address.replace("?", "?x=1&"), "check=yes", "Origin", "http://evil.example");
        client.post(
                FORM,
                address.substring(FORM.length() + 1),
                "Origin",
                console.address().toString());
        assertThat(database.value("SELECT is_called FROM lure")).isEqualTo("f");
        assertThat(text(client.submit(FORM, FORM, address.substring(FORM.length() + 1))))
                .contains("300 rows");
        assertThat(database.value("SELECT is_called FROM lure")).isEqualTo("t");
    }

    @Test
    void sweepOfAnotherDefinition_isRefused() {
        client.submit(FORM, FORM, gross("mine"));
        awaitDone("mine");
        // A role that may write the table of sweeps does not get its SQL run: the form sends what it has shown.
        database.execute("UPDATE howdah.sweep SET definition = jsonb_set(definition, '{mark}',"
                + " '\"note = current_user, gross = 0\"') WHERE name = 'mine'");
        database.execute("UPDATE invoice SET gross = NULL");
        HttpResponse<String> answer = client.submit("/sweeps/mine/start", "/sweeps/mine/start", gross("mine"));
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("mark is ", "note = current_user");
        assertThat(database.value("SELECT count(note) FROM invoice")).isEqualTo("0");
    }

    @Test
    void startAgain_hasTheDefinition_andGoesOn() {
        String path = "/sweeps/again/start";
        String sql = "UPDATE invoice SET note = 'seen' FROM batch WHERE invoice.id = batch.id";
        client.submit(FORM, FORM, gross("again").replace("work=mark", "work=") + "&" + form("sql", sql));
        awaitDone("again");
        database.execute("UPDATE invoice SET gross = NULL WHERE id <= 10");
        assertThat(text(client.get("/sweeps/again"))).contains(path + "\">Start again</a>");
        assertThat(text(client.get(path))).contains("invoice.id = batch.id", "gross IS NULL");
        String form = gross("other").replace("work=mark", "work=") + "&" + form("sql", sql);
        assertThat(text(client.submit(path, path, form + "&check=yes")))
                .contains("<strong>10 rows</strong>", "It goes on with the run that began", "has ended");
        client.submit(path, path, form);
        await().atMost(Patience.LIMIT)
                .until(() -> "0".equals(database.value("SELECT count(*) FROM invoice WHERE gross IS NULL")));
        // It would take the rows of the next test for its own.
        awaitDone("again");
    }

    @Test
    void console_thatEnds_leavesItsSweeps_andNamesThem() {
        try (Console other = ConsoleFixtures.console(database)
                .startSweeps(ConsoleFixtures.source(database))
                .start()) {
            ConsoleClient ending = new ConsoleClient(other.address());
            ending.submit(FORM, FORM, gross("left", "rows", "1"));
            awaitState("left", "running");
            assertThat(text(ending.submit(FORM, FORM, gross("left") + "&check=yes")))
                    .contains("worked on here already");
            String large = gross("more").replace("workers=2", "workers=15") + "&check=yes";
            assertThat(text(ending.submit(FORM, FORM, large))).contains("this one can have 14");
            // Rows that are only marked would be lost to a program whose work the database does not know.
            assertThat(text(client.submit(FORM, FORM, gross("left") + "&check=yes")))
                    .contains("other processes work on this sweep");
        }
        assertThat(database.value("SELECT state FROM howdah.sweep WHERE name = 'left'"))
                .isEqualTo("running");
        assertThat(text(client.get("/sweeps/left")))
                .contains("No process works on it.", "Press \"Start again\" above, or start the same command");
        assertThat(database.value(
                        "SELECT count(*) FROM howdah.audit WHERE message LIKE 'Left when the console ended:%'"))
                .isEqualTo("1");
    }

    @Test
    void operator_andConsoleWithoutSessions_haveNoForm() {
        String operator = "Bearer "
                + new TokenStore(ConsoleFixtures.source(database), "howdah").add("olga", "operator", null, null);
        try (Console other = ConsoleFixtures.console(database)
                .startSweeps(ConsoleFixtures.source(database))
                .login(true)
                .start()) {
            ConsoleClient caller = new ConsoleClient(other.address());
            assertThat(caller.get("/sweeps", "Authorization", operator).body()).doesNotContain("New sweep");
            assertThat(caller.get(FORM, "Authorization", operator).statusCode()).isEqualTo(403);
            for (String form : List.of(gross("theirs"), gross("theirs") + "&check=yes"))
                assertThat(caller.post(FORM, form, "Authorization", operator).statusCode())
                        .isEqualTo(403);
        }
        try (Console plain = ConsoleFixtures.console(database).start()) {
            ConsoleClient other = new ConsoleClient(plain.address());
            assertThat(text(other.get("/sweeps"))).doesNotContain("New sweep");
            assertThat(other.get(FORM).statusCode()).isEqualTo(404);
        }
        assertThat(database.value("SELECT count(gross) FROM invoice")).isEqualTo("0");
    }
}
