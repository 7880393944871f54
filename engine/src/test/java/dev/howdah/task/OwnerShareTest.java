package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What one owner of tasks can take from the others. */
@PostgresTest
@Tag("long")
class OwnerShareTest {
    private final TestDatabase database;
    private final Scheduled tasks;
    private final String many;
    private final String few;

    OwnerShareTest(TestDatabase database) {
        this.database = database;
        this.tasks = Scheduled.at(database.uri());
        this.many = "many_" + database.name();
        this.few = "few_" + database.name();
    }

    @BeforeEach
    void makeOwners() {
        for (String owner : new String[] {many, few}) tasks.execute("CREATE ROLE " + owner + " LOGIN");
    }

    @AfterEach
    void close() {
        tasks.close();
        for (String login :
                tasks.list("SELECT l.rolname FROM pg_roles l, pg_database d WHERE datname = current_database()"
                        + " AND starts_with(l.rolname, 'howdah_' || d.oid || '_')"))
            tasks.execute("DROP OWNED BY " + login + "; DROP ROLE " + login);
        for (String owner : new String[] {many, few}) tasks.execute("DROP OWNED BY " + owner + "; DROP ROLE " + owner);
    }

    private void serve(int sessions) {
        tasks.begin(tasks.database(), sessions);
        tasks.awaitTold("active", 1);
    }

    private void setting(String name, String value) {
        tasks.execute("ALTER DATABASE " + database.name() + " SET " + name + " = '" + value + "'");
    }

    private void add(String owner, String input, int count) {
        tasks.execute("INSERT INTO task (input, \"group\", owner) SELECT '" + input + "', '" + owner + " ' || n, '"
                + owner + "' FROM generate_series(1, " + count + ") n");
    }

    private void awaitTrue(String question) {
        Scheduled.awaiting(question).until(() -> "t".equals(tasks.value(question)));
    }

    @Test
    void ownerWithAQueue_doesNotKeepAnotherOwnerWaiting() {
        serve(2);
        add(many, "SELECT pg_sleep(1)", 200);
        awaitTrue("SELECT count(*) = 2 FROM task WHERE state = 'WORK'");
        add(few, "SELECT 1", 3);
        awaitTrue("SELECT count(*) = 3 FROM task WHERE owner = '" + few + "' AND state = 'DONE'");
        assertThat(tasks.number("SELECT count(*) FROM task WHERE owner = '" + many + "' AND state = 'PLAN'"))
                .as("of 200 that were there before")
                .isGreaterThan(150);
    }

    @Test
    void twoOwnersWithQueues_shareTheSessions() {
        serve(4);
        add(many, "SELECT pg_sleep(0.2)", 120);
        awaitTrue("SELECT count(*) = 4 FROM task WHERE state = 'WORK'");
        add(few, "SELECT pg_sleep(0.2)", 20);
        awaitTrue("SELECT count(*) = 20 FROM task WHERE owner = '" + few + "' AND state = 'DONE'");
        assertThat(tasks.number("SELECT count(*) FROM task WHERE owner = '" + many + "' AND state = 'PLAN'"))
                .isGreaterThan(50);
        awaitTrue("SELECT count(*) = 140 FROM task WHERE state = 'DONE'");
    }

    @Test
    void oneOwnerAlone_hasAllSessions() throws SQLException {
        serve(3);
        try (Connection holding = tasks.connect();
                Statement hold = holding.createStatement()) {
            hold.execute("SELECT pg_advisory_lock(1)");
            add(many, "SELECT pg_advisory_xact_lock_shared(1)", 9);
            awaitTrue("SELECT count(*) = 3 FROM task WHERE state = 'WORK'");
        }
        awaitTrue("SELECT count(*) = 9 FROM task WHERE state = 'DONE'");
    }

    @Test
    void runPerOwner_boundsOneOwner_others() {
        setting("pg_task.run_per_owner", "2");
        serve(4);
        add(many, "SELECT pg_sleep(600)", 10);
        awaitTrue("SELECT count(*) = 2 FROM task WHERE state = 'WORK'");
        add(few, "SELECT 1", 5);
        add("postgres", "SELECT 1", 5);
        awaitTrue("SELECT count(*) = 10 FROM task WHERE state = 'DONE'");
        assertThat(tasks.number("SELECT count(*) FROM task WHERE owner = '" + many + "' AND state = 'WORK'"))
                .isEqualTo(2);
    }

    @Test
    void shortestRepeat_boundsOthers_notTheScheduler() {
        setting("pg_task.shortest_repeat", "1 hour");
        serve(4);
        for (String owner : new String[] {many, "postgres"})
            tasks.execute("INSERT INTO task (input, repeat, owner) VALUES ('SELECT 1', '1 us', '" + owner + "')");
        tasks.execute("INSERT INTO task (input, repeat, owner) VALUES ('SELECT 2', '2 hours', '" + many + "')");
        awaitTrue("SELECT count(*) >= 5 FROM task WHERE owner = 'postgres' AND state = 'DONE'");
        awaitTrue("SELECT count(*) = 4 FROM task WHERE owner = '" + many + "'");
        assertThat(tasks.value(
                        "SELECT string_agg(DISTINCT t.repeat || ' ' || CASE WHEN r.plan = t.start + interval '1 hour'"
                                + " THEN 'an hour' WHEN r.plan = t.plan + interval '2 hours' THEN 'two hours' END, ', ')"
                                + " FROM task t JOIN task r ON r.parent = t.id WHERE t.owner = '" + many + "'"))
                .isEqualTo("00:00:00.000001 an hour, 02:00:00 two hours");
        tasks.execute("UPDATE task SET repeat = '0' WHERE state = 'PLAN'");
    }
}
