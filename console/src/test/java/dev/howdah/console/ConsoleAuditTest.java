package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.store.AuditEntry;
import dev.howdah.operations.store.AuditStore;
import dev.howdah.operations.store.TokenStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each change is in the audit table, without secrets, and nowhere without it. */
@PostgresTest
class ConsoleAuditTest {
    private static final String SECRET = "postgresql://ann:s3cret@db.example/shop";

    private final TestDatabase database;
    private Console console;
    private ConsoleClient client;

    ConsoleAuditTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void start() {
        ConsoleFixtures.tasks(database);
        console = ConsoleFixtures.console(database).start();
        client = new ConsoleClient(console.address());
        database.execute("INSERT INTO task (input, plan) VALUES ('SELECT ''" + SECRET
                + "'', ''{\"password\": \"hunter22\"}''', now() + interval '1 hour')");
    }

    @AfterEach
    void stop() {
        console.close();
    }

    private String value(String sql) {
        return String.valueOf(database.value(sql));
    }

    // for the browser
    @Test
    void change_isWrittenWithItsObjectBeforeAndAfter() {
        assertThat(client.post("/tasks/1/cancel", "confirmed=yes").statusCode()).isEqualTo(303);
        assertThat(value("SELECT concat_ws(' ', actor, role, via, action, object, outcome, before ->> 'state')"
                        + " FROM howdah.audit WHERE begun IS NULL"))
                .isEqualTo("local administrator console tasks.cancel tasks/1 begun PLAN");
        assertThat(value("SELECT concat_ws(' ', outcome, message, after ->> 'state') FROM howdah.audit"
                        + " WHERE begun IS NOT NULL"))
                .isEqualTo("done Task 1 will not run. STOP");
        String page = client.get("/audit").body();
        assertThat(page).contains("tasks.cancel").contains("tasks/1").contains("Task 1 will not run.");
        assertThat(client.get("/audit?action=jobs").body()).contains("Nothing matches these filters.");
        assertThat(value("SELECT string_agg(a::text, '') FROM howdah.audit a"))
                .doesNotContain("s3cret")
                .doesNotContain("hunter22");
    }

    @Test
    void pause_ofAQueue_namesItsCaller() throws Exception {
        ConsoleFixtures.tasksAndJobs(database);
        database.execute("SELECT howdah.add('mail', 'welcome', '1')");
        assertThat(client.post("/jobs/queues/mail/pause", "confirmed=yes").statusCode())
                .isEqualTo(303);
        assertThat(value("SELECT paused_by FROM howdah_internal.lane WHERE queue = 'mail' AND paused IS NOT NULL"))
                .isEqualTo("local");
        assertThat(value("SELECT before ->> 'paused' FROM howdah.audit WHERE object = 'queues/mail' AND begun IS NULL"))
                .isEqualTo("null");
        assertThat(value("SELECT after ->> 'pausedBy' FROM howdah.audit WHERE begun IS NOT NULL"))
                .isEqualTo("local");
    }

    @Test
    void change_thatCannotBeWrittenDown_doesNotHappen() {
        new AuditStore(ConsoleFixtures.source(database), "howdah", 365)
                .add(new AuditEntry("test", null, "cli", null, "test", null, null, null), "done", null);
        database.execute("ALTER TABLE howdah.audit ADD CONSTRAINT never CHECK (action <> 'tasks.cancel')");
        assertThat(client.post("/tasks/1/cancel", "confirmed=yes").statusCode()).isEqualTo(303);
        assertThat(value("SELECT state::text FROM task WHERE id = 1")).isEqualTo("PLAN");
        database.execute("ALTER TABLE howdah.audit DROP CONSTRAINT never");
        assertThat(client.post("/tasks/1/cancel", "confirmed=yes").statusCode()).isEqualTo(303);
        assertThat(value("SELECT state::text FROM task WHERE id = 1")).isEqualTo("STOP");
    }

    @Test
    void row_changedOrDeletedEarly_isRefused() {
        AuditStore store = new AuditStore(ConsoleFixtures.source(database), "howdah", 365);
        store.add(new AuditEntry("ann", null, "cli", null, "test", null, null, null), "done", null);
        for (String attack : new String[] {
            "UPDATE howdah.audit SET actor = 'bob'", "DELETE FROM howdah.audit", "TRUNCATE howdah.audit"
        }) assertThatThrownBy(() -> database.execute(attack)).as(attack).hasStackTraceContaining("kept as they are");
        database.execute("INSERT INTO howdah.audit (at, actor, via, action, outcome)"
                + " VALUES (now() - interval '400 days', 'old', 'cli', 'test', 'done')");
        new AuditStore(ConsoleFixtures.source(database), "howdah", 365)
                .add(new AuditEntry("ann", null, "cli", null, "test", null, null, null), "done", null);
        assertThat(value("SELECT string_agg(actor, ' ') FROM howdah.audit")).isEqualTo("ann ann");
    }

    @Test
    void loginsAndRefusals_areWritten() {
        TokenStore tokens = new TokenStore(ConsoleFixtures.source(database), "howdah");
        String viewer = tokens.add("vera", "viewer", null, null);
        try (Console closed = ConsoleFixtures.console(database).login(true).start()) {
            ConsoleClient browser = new ConsoleClient(closed.address());
            String origin = closed.address().toString();
            browser.post("/login", "token=" + viewer, "Origin", origin);
            browser.post("/tasks/1/cancel", "confirmed=yes", "Authorization", "Bearer " + viewer);
            for (int i = 0; i < 5; i++) browser.post("/login", "token=wrong", "Origin", origin);
            assertThat(browser.post("/login", "token=wrong", "Origin", origin).statusCode())
                    .as("after five failures")
                    .isEqualTo(429);
            // Others may have the same address, behind a proxy or a NAT.
            assertThat(browser.post("/login", "token=" + viewer, "Origin", origin)
                            .statusCode())
                    .as("a right token after the failures of others")
                    .isEqualTo(303);
        }
        assertThat(value("SELECT string_agg(actor || ' ' || action || ' ' || outcome, ', ' ORDER BY id)"
                        + " FROM howdah.audit WHERE id <= 3"))
                .isEqualTo("token:vera login.token done, token:vera tasks.cancel refused, unknown login.token refused");
        assertThat(value("SELECT count(*) FROM howdah.audit")).isEqualTo("8");
    }

    @Test
    void secret_onAPage_isMaskedUnlessAdministratorsMaySee() {
        for (String path : new String[] {"/tasks", "/tasks/1"})
            assertThat(client.get(path).body())
                    .contains("postgresql://ann:***@db.example")
                    .doesNotContain("s3cret")
                    .doesNotContain("hunter22");
        String viewer =
                "Bearer " + new TokenStore(ConsoleFixtures.source(database), "howdah").add("v", "viewer", null, null);
        try (Console open = ConsoleFixtures.console(database)
                .login(true)
                .unmaskedForAdministrators(true)
                .start()) {
            ConsoleClient browser = new ConsoleClient(open.address());
            assertThat(browser.get("/tasks/1", "Authorization", viewer).body()).doesNotContain("s3cret");
            assertThat(browser.get("/tasks?text=s3cret", "Authorization", viewer)
                            .statusCode())
                    .isEqualTo(403);
            String link =
                    open.link().toString().substring(open.address().toString().length());
            String cookie = browser.get(link).headers().firstValue("Set-Cookie").orElseThrow();
            assertThat(browser.get("/tasks/1", "Cookie", cookie.substring(0, cookie.indexOf(';')))
                            .body())
                    .contains("s3cret");
        }
    }
}
