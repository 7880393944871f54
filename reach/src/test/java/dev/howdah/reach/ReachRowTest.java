package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.HttpPlace;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What rows give to the requests of their runs: keys, owners and credentials, and when a run begins. */
@PostgresTest
class ReachRowTest {
    private static final Duration PATIENCE = Patience.LIMIT;

    private final HttpPlace place = new HttpPlace((exchange, seen) -> {
        byte[] answer = "ok".getBytes(StandardCharsets.US_ASCII);
        exchange.sendResponseHeaders(200, answer.length);
        exchange.getResponseBody().write(answer);
    });
    private final TestDatabase database;

    @TempDir
    Path directory;

    ReachRowTest(TestDatabase database) throws IOException {
        this.database = database;
    }

    @AfterEach
    void close() {
        place.close();
    }

    /** The values of a header in the requests with that body, in their order. */
    private List<String> headers(String name, String body) {
        return place.seen().stream()
                .filter(each -> each.body().equals(body))
                .map(each -> String.valueOf(each.headers().getFirst(name)))
                .toList();
    }

    @Test
    void key_isThatOfTheTask_andOfNoOther() {
        try (ReachingTasks tasks = new ReachingTasks(database, place.address())) {
            long repeated = tasks.add(place.address(), "repeated", "repeat", "'1 second'");
            await().atMost(PATIENCE)
                    .until(() -> headers("Idempotency-Key", "repeated").size() >= 2);
            assertThat(headers("Idempotency-Key", "repeated"))
                    .doesNotHaveDuplicates()
                    .anyMatch(each -> each.startsWith("howdah-" + repeated + "-"));
            tasks.output(place.address(), "by hand");
            tasks.execute("UPDATE task SET state = 'PLAN', plan = now() WHERE input = 'by hand'");
            await().atMost(PATIENCE)
                    .until(() -> headers("Idempotency-Key", "by hand").size() == 2);
            assertThat(headers("Idempotency-Key", "by hand").stream().distinct())
                    .as("of a row that was set back")
                    .hasSize(1);
            await().atMost(PATIENCE).until(() -> {
                tasks.execute("UPDATE task SET repeat = '0' WHERE state <> 'DONE' AND repeat > '0'");
                return "0".equals(database.value("SELECT count(*) FROM task WHERE state <> 'DONE'"));
            });
            // Ids come again.
            for (String input : List.of("one payment", "another payment")) {
                tasks.execute("TRUNCATE task RESTART IDENTITY");
                long id = tasks.add(place.address(), input);
                tasks.awaitState(id, "DONE");
                assertThat(id).isEqualTo(1);
                assertThat(headers("Idempotency-Key", input))
                        .singleElement()
                        .asString()
                        .startsWith("howdah-1-");
            }
            assertThat(headers("Idempotency-Key", "another payment"))
                    .doesNotContainAnyElementsOf(headers("Idempotency-Key", "one payment"));
        }
    }

    /** What is forgotten by a crash of the server would be sent again, and nothing would say that it was sent. */
    @Test
    void claim_isOneUpdate_andOnTheDiskBeforeAnythingIsSent() {
        database.execute("ALTER DATABASE " + database.name() + " SET synchronous_commit = 'on'");
        try (ReachingTasks tasks = new ReachingTasks(database, place.address())) {
            tasks.execute("CREATE TABLE claims (n serial, remote text, state text, commits text);"
                    + " CREATE FUNCTION see_claims() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                    + " INSERT INTO public.claims (remote, state, commits)"
                    + " SELECT split_part(remote, ':', 1), state::text, current_setting('synchronous_commit') FROM changed;"
                    + " RETURN NULL; END $$;"
                    + " CREATE TRIGGER see_claims AFTER UPDATE ON task REFERENCING NEW TABLE AS changed"
                    + " FOR EACH STATEMENT EXECUTE FUNCTION see_claims()");
            tasks.output(place.address(), "x");
            tasks.execute("INSERT INTO task (input) VALUES ('SELECT 1')");
            await().atMost(PATIENCE)
                    .until(() -> "1".equals(database.value("SELECT output FROM task WHERE input = 'SELECT 1'")));
            assertThat(database.value("SELECT string_agg(concat_ws(' ', remote, state, commits), ', ' ORDER BY n)"
                            + " FROM claims WHERE state IN ('PLAN', 'TAKE', 'WORK')"))
                    .isEqualTo("http WORK on, WORK off");
        }
    }

    @Test
    void taskOfADroppedRole_isNotDoneForALaterRoleOfThatName() {
        String role = database.name() + "_temp";
        database.execute("CREATE ROLE " + role);
        try (ReachingTasks tasks = new ReachingTasks(database, place.address() + "=" + role)) {
            long old = tasks.add(place.address(), "old", "owner, plan", "'" + role + "', 'infinity'");
            tasks.execute("DROP ROLE " + role + "; CREATE ROLE " + role);
            tasks.execute("UPDATE task SET plan = now() WHERE id = " + old);
            tasks.awaitState(old, "FAIL");
            assertThat(tasks.column("concat_ws(' ', sqlstate, error)", old))
                    .isEqualTo("W1004 ERROR:  the owner of this task is not the role any more that it was");
            assertThat(place.seen()).isEmpty();
            long own = tasks.add(place.address(), "own", "owner", "'" + role + "'");
            tasks.awaitState(own, "DONE");
        } finally {
            database.execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
        }
    }

    @Test
    void credentials_ofAllKindsForRequests_areSent() throws IOException {
        Path key = Files.writeString(directory.resolve("geo.key"), "s3cr3t-geo\n");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        Path file = Files.writeString(directory.resolve("reach.json"), """
                {"credentials": {
                  "bank": {"kind": "basic", "user": "telco", "env": "BANK_PASSWORD", "for": "%1$s"},
                  "geo": {"kind": "header", "header": "X-Api-Key", "file": "geo.key", "for": "%1$s"},
                  "net": {"kind": "login", "user": "switch", "env": "BANK_PASSWORD", "for": "%1$s"}}}
                """.formatted(place.address()));
        List<String> places = List.of(place.address());
        ReachSettings settings = ReachSettings.of(places, file, Map.of("BANK_PASSWORD", "s3cr3t-bänk"));
        try (ReachingTasks tasks = new ReachingTasks(database, settings)) {
            tasks.output(place.address() + "/#as=bank", "1");
            assertThat(headers("Authorization", "1"))
                    .containsExactly("Basic "
                            + Base64.getEncoder().encodeToString("telco:s3cr3t-bänk".getBytes(StandardCharsets.UTF_8)));
            tasks.output(place.address() + "/#as=geo", "2");
            assertThat(headers("X-Api-Key", "2")).containsExactly("s3cr3t-geo");
            assertThat(headers("Authorization", "2")).containsExactly("null");
            assertThat(tasks.error(place.address() + "/#as=net", "3")).contains("is none for requests");
            assertThat(headers("Authorization", "3")).isEmpty();
        }
        for (String each : List.of("HOWDAH_PASSWORD", "PGPASSWORD")) {
            Files.writeString(
                    file,
                    "{\"credentials\": {\"a\": {\"kind\": \"bearer\", \"env\": \"" + each
                            + "\", \"for\": \"http://a\"}}}");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ReachSettings.of(places, file, Map.of(each, "s3cr3t")))
                    .withMessageContaining("the variable " + each + " is one of the program's own");
        }
    }
}
