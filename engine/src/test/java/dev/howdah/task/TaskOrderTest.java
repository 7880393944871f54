package dev.howdah.task;

import static dev.howdah.task.ServedTable.GATED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who starts when, what max allows, which groups share a limit; rows changed on the way. */
@PostgresTest
@Tag("long")
class TaskOrderTest {
    private static ServedTable tasks;

    @BeforeAll
    static void serve(TestDatabase database) {
        tasks = ServedTable.in(database, how -> how.maxSessions(20));
    }

    @AfterAll
    static void stop() {
        tasks.close();
    }

    /** Several tasks of a group, inserted by one statement; {@code columns} and {@code values} as in SQL, {@code i} counts. */
    private static void insert(String group, int count, String columns, String values) {
        tasks.execute("INSERT INTO task (\"group\", " + columns + ") SELECT '" + group + "', " + values
                + " FROM generate_series(1, " + count + ") i");
    }

    @Test
    void group_maxZero_runsOneAtATimeById() {
        String group = tasks.newGroup();
        insert(group, 12, "input, plan", "'SELECT ' || i || ' FROM pg_sleep(0.01)', now() - i * interval '1 s'");
        tasks.settled(group);
        assertThat(tasks.peak(group)).isEqualTo(1);
        assertThat(tasks.started(group)).isEqualTo("1|2|3|4|5|6|7|8|9|10|11|12"); // by id, not by plan
    }

    @Test
    void group_maxN_runsNPlusOneAtOnce() {
        String group = tasks.newGroup();
        try (var gate = tasks.gate()) {
            assertThat(gate).isNotNull();
            insert(group, 12, "input, max", "'" + GATED + "; SELECT pg_sleep(0.1)', 2");
            tasks.awaitTrue("SELECT count(*) = 3 FROM task WHERE \"group\" = '" + group + "' AND state = 'WORK'");
        }
        tasks.settled(group);
        assertThat(tasks.peak(group)).isEqualTo(3);
    }

    @Test
    void group_maxBeyondItsLength_runsAllAtOnce() {
        String group = tasks.newGroup();
        try (var gate = tasks.gate()) {
            assertThat(gate).isNotNull();
            insert(group, 6, "input, max", "'" + GATED + "', 2147483647");
            tasks.awaitTrue("SELECT count(*) = 6 FROM task WHERE \"group\" = '" + group + "' AND state = 'WORK'");
        }
        tasks.settled(group);
        assertThat(tasks.peak(group)).isEqualTo(6);
    }

    @Test
    void group_manyShortTasks_neverExceedsMax() { // group limits are never exceeded
        String one = tasks.newGroup();
        String three = tasks.newGroup();
        insert(one, 300, "input", "'SELECT 1'");
        insert(three, 300, "input, max", "'SELECT pg_advisory_unlock_all()', 2");
        tasks.settled(one);
        tasks.settled(three);
        assertThat(tasks.peak(one)).isEqualTo(1);
        assertThat(tasks.peak(three)).isLessThanOrEqualTo(3);
        assertThat(tasks.all(one, "state")).matches("DONE(\\|DONE){299}");
    }

    @Test
    void group_largerMax_comesFirst() {
        String group = tasks.newGroup();
        tasks.execute("BEGIN; INSERT INTO task (\"group\", input, max) VALUES ('" + group + "', 'SELECT 1', 0), ('"
                + group
                + "', 'SELECT 2', 1), ('" + group + "', 'SELECT 3', 5), ('" + group + "', 'SELECT 4', 5), ('" + group
                + "', 'SELECT 5', -1); COMMIT");
        tasks.settled(group);
        assertThat(tasks.started(group)).isEqualTo("3|4|2|1|5");
    }

    @Test
    void group_laterTaskWithLargerMax_overtakes() {
        String group = tasks.newGroup();
        ServedTable.Holder gate = tasks.gate();
        long first = tasks.add(GATED, "group", group);
        long second = tasks.add("SELECT 2", "group", group);
        tasks.working(first);
        Task third = tasks.run("SELECT 3", "group", group, "max", "1");
        gate.close();
        assertThat(third.stop()).isBefore(tasks.ended(first).stop());
        tasks.ended(second);
        assertThat(tasks.started(group)).isEqualTo("1|3|2");
    }

    @Test
    void groups_different_doNotWaitForEachOther() {
        long blocking = tasks.add("SELECT pg_sleep(60)");
        tasks.working(blocking);
        assertThat(tasks.run("SELECT 1").output()).isEqualTo("1");
        assertThat(tasks.find(blocking).map(Task::state)).contains(TaskState.WORK);
        tasks.execute("SELECT pg_cancel_backend(pid) FROM task WHERE id = " + blocking);
    }

    @Test
    void groups_many_areAllServed() {
        String prefix = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input) SELECT '" + prefix + "/' || i % 200, 'SELECT ' || i"
                + " FROM generate_series(1, 1000) i");
        tasks.awaitTrue("SELECT count(*) = 1000 FROM task WHERE \"group\" LIKE '" + prefix + "/%' AND state = 'DONE'");
        assertThat(tasks.value("SELECT count(*) FROM task a JOIN task b ON a.\"group\" = b.\"group\" AND a.id < b.id"
                        + " AND a.start < b.stop AND b.start < a.stop WHERE a.\"group\" LIKE '" + prefix + "/%'"))
                .isEqualTo("0");
    }

    @Test
    void groups_groupAndRemote_areNotRunTogether() { // hash: ('x', 'y') is not ('xy', '')
        assertThat(tasks.value(
                        "SELECT count(DISTINCT hash) FROM (VALUES ('x', 'y'), ('xy', ''), ('xy', NULL), ('', 'xy'), ('x', 'y@'))"
                                + " v (\"group\", remote), LATERAL (SELECT hashtext(length(v.\"group\")::text || ':' || v.\"group\""
                                + " || COALESCE('@' || remote, '')) AS hash) h"))
                .isEqualTo("5");
        String group = tasks.newGroup();
        String remote = tasks.database().uri();
        long far = tasks.add("SELECT pg_sleep(60)", "group", group, "remote", remote);
        tasks.working(far);
        assertThat(tasks.run("SELECT 1", "group", group + remote).output()).isEqualTo("1");
        assertThat(tasks.run("SELECT 2", "group", group).output()).isEqualTo("2");
        assertThat(tasks.find(far).map(Task::state)).contains(TaskState.WORK);
        tasks.execute("SELECT pg_cancel_backend(pid) FROM task WHERE id = " + far);
        tasks.ended(far);
    }

    @Test
    void groups_sameHash_keepTheirOwnLimits() { // limits are per (group, remote), not per hash value
        Pair pair = collision();
        long blocking = tasks.add("SELECT pg_sleep(60)", "group", pair.one());
        tasks.working(blocking);
        assertThat(tasks.run("SELECT 1", "group", pair.two()).output()).isEqualTo("1");
        assertThat(tasks.find(blocking).map(Task::state)).contains(TaskState.WORK);
        tasks.execute("SELECT pg_cancel_backend(pid) FROM task WHERE id = " + blocking);
        assertThat(tasks.value("SELECT count(DISTINCT hash) FROM task WHERE \"group\" IN ('" + pair.one() + "', '"
                        + pair.two() + "')"))
                .isEqualTo("1");
    }

    private record Pair(String one, String two) {}

    /** Two groups whose column hash is the same. */
    private static Pair collision() {
        var pair = tasks.query(
                        "SELECT min(g), max(g) FROM (SELECT 'hash' || i AS g, hashtext(length('hash' || i)::text"
                                + " || ':' || 'hash' || i) AS h FROM generate_series(1, 200000) i) x GROUP BY h HAVING count(*) > 1 LIMIT 1")
                .get(0);
        return new Pair(String.valueOf(pair.get(0)), String.valueOf(pair.get(1)));
    }

    @Test
    void plan_inFuture_startsThen() {
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, plan) VALUES ('" + group
                + "', 'SELECT 1', clock_timestamp() + interval '2 s'), ('" + group
                + "', 'SELECT 2', clock_timestamp())");
        tasks.settled(group);
        assertThat(tasks.all(group, "start >= plan")).isEqualTo("true|true");
        // On a machine so slow that both were due when the first of them could start, their order says nothing.
        assertThat(tasks.value(
                        "SELECT min(start) >= max(plan) OR string_agg(input, '|' ORDER BY start) = 'SELECT 2|SELECT 1'"
                                + " FROM task WHERE \"group\" = '" + group + "'"))
                .isEqualTo("t");
    }

    @Test
    void plan_movedNearer_startsThen() {
        long id = tasks.add("SELECT 1", "plan", "infinity");
        tasks.execute("UPDATE task SET plan = clock_timestamp() + interval '0.2 s' WHERE id = " + id);
        assertThat(tasks.ended(id).output()).isEqualTo("1");
    }

    @Test
    void plan_infinity_neverStarts() {
        long never = tasks.add("SELECT 1", "plan", "infinity");
        tasks.run("SELECT 2");
        assertThat(tasks.find(never).map(Task::state)).contains(TaskState.PLAN);
    }

    @Test
    void plan_minusInfinity_isLongDue() { // expired, unless its max is negative
        assertThat(tasks.run("SELECT 1", "plan", "-infinity").state()).isEqualTo(TaskState.GONE);
        assertThat(tasks.run("SELECT 1", "plan", "-infinity", "max", "-1").output())
                .isEqualTo("1");
        assertThat(tasks.run("SELECT 1", "plan", "0001-01-01 BC", "active", "200000 years")
                        .output())
                .isEqualTo("1");
    }

    @Test
    void row_changedBeforeItStarts_runsAsItIs() {
        String group = tasks.newGroup();
        long id;
        try (var gate = tasks.gate()) {
            assertThat(gate).isNotNull();
            long blocking = tasks.add(GATED, "group", group);
            id = tasks.add("SELECT 1", "group", group);
            tasks.working(blocking);
            tasks.execute("UPDATE task SET input = 'SELECT 5 AS a, 6 AS b', header = false, delimiter = '#'"
                    + " WHERE id = " + id);
        }
        assertThat(tasks.ended(id).output()).isEqualTo("5#6");
    }

    @Test
    void row_movedToAnotherGroupWhileWaiting_runsThere() {
        String group = tasks.newGroup();
        long blocking = tasks.add("SELECT pg_sleep(60)", "group", group);
        long id = tasks.add("SELECT 1", "group", group);
        tasks.working(blocking);
        tasks.execute("UPDATE task SET \"group\" = '" + tasks.newGroup() + "' WHERE id = " + id);
        assertThat(tasks.ended(id).output()).isEqualTo("1");
        assertThat(tasks.find(blocking).map(Task::state)).contains(TaskState.WORK);
        tasks.execute("SELECT pg_cancel_backend(pid) FROM task WHERE id = " + blocking);
    }

    @Test
    void row_maxRaisedWhileWaiting_startsAtOnce() {
        String group = tasks.newGroup();
        long blocking = tasks.add("SELECT pg_sleep(60)", "group", group);
        long id = tasks.add("SELECT 1", "group", group);
        tasks.working(blocking);
        tasks.execute("UPDATE task SET max = 1 WHERE id = " + id);
        assertThat(tasks.ended(id).output()).isEqualTo("1");
        tasks.execute("SELECT pg_cancel_backend(pid) FROM task WHERE id = " + blocking);
    }

    @Test
    void row_stoppedAndReleased_runsOnlyThen() { // plan is not touched
        String group = tasks.newGroup();
        long stopped = tasks.add("SELECT 1", "group", group, "state", "STOP");
        tasks.run("SELECT 2", "group", group);
        assertThat(tasks.find(stopped).map(Task::start)).isEmpty();
        assertThat(tasks.find(stopped).map(Task::state)).contains(TaskState.STOP);
        tasks.execute("UPDATE task SET state = 'PLAN' WHERE id = " + stopped);
        assertThat(tasks.ended(stopped).output()).isEqualTo("1");
    }

    @Test
    void row_setToPlanAgain_runsAgain() {
        long id = tasks.add("SELECT count(*) FROM again");
        assertThat(tasks.ended(id).state()).isEqualTo(TaskState.FAIL);
        tasks.execute("CREATE TABLE again (i int)");
        tasks.execute("UPDATE task SET state = 'PLAN', plan = now() WHERE id = " + id);
        Task second = tasks.ended(id);
        assertThat(second.state()).isEqualTo(TaskState.DONE);
        assertThat(second.output()).isEqualTo("0");
        assertThat(second.error()).isNull();
    }

    @Test
    void row_deletedWhileRunning_leavesNothing() {
        String group = tasks.newGroup();
        tasks.execute("CREATE SEQUENCE deleted_ran");
        long next;
        try (var gate = tasks.gate()) {
            assertThat(gate).isNotNull();
            long id = tasks.add(GATED + "; SELECT nextval('deleted_ran')", "group", group, "repeat", "1 s");
            next = tasks.add("SELECT last_value, is_called FROM deleted_ran", "group", group, "header", "f");
            tasks.working(id);
            tasks.execute("DELETE FROM task WHERE id = " + id);
        }
        assertThat(tasks.ended(next).output()).isEqualTo("1\tt");
        assertThat(tasks.all(group, "id")).isEqualTo(Long.toString(next));
    }

    @Test
    void row_stoppedWhileRunning_endsAllTheSame() {
        long id;
        try (var gate = tasks.gate()) {
            assertThat(gate).isNotNull();
            id = tasks.add(GATED);
            tasks.working(id);
            tasks.execute("UPDATE task SET state = 'STOP' WHERE id = " + id);
        }
        tasks.awaitTrue("SELECT state = 'DONE' AND output = '1' FROM task WHERE id = " + id);
    }

    @Test
    void row_lockedBySomebody_delaysOnlyItself() { // SKIP LOCKED
        String group = tasks.newGroup();
        long locked = tasks.add("SELECT 1", "group", group, "plan", "infinity");
        long next;
        try (var holder = new ServedTable.Holder(
                tasks.database(), "UPDATE task SET plan = clock_timestamp() WHERE id = " + locked)) {
            assertThat(holder).isNotNull();
            next = tasks.add("SELECT 2", "group", group);
            assertThat(tasks.ended(next).output()).isEqualTo("2");
        }
        assertThat(tasks.ended(locked).output()).isEqualTo("1");
    }

    @Test
    void row_dueAndLocked_doesNotHoldUpItsGroup() {
        String group = tasks.newGroup();
        ServedTable.Holder gate = tasks.gate();
        long blocking = tasks.add(GATED, "group", group);
        long locked = tasks.add("SELECT 1", "group", group);
        tasks.working(blocking);
        try (var holder =
                new ServedTable.Holder(tasks.database(), "SELECT FROM task WHERE id = " + locked + " FOR UPDATE")) {
            assertThat(holder).isNotNull();
            gate.close();
            assertThat(tasks.run("SELECT 2", "group", group).output()).isEqualTo("2");
            assertThat(tasks.find(locked).map(Task::state)).contains(TaskState.PLAN);
        }
        assertThat(tasks.ended(locked).output()).isEqualTo("1");
    }

    @Test
    void row_lockedWhileItRuns_isWrittenWhenItIsFree() {
        String group = tasks.newGroup();
        ServedTable.Holder gate = tasks.gate();
        long id = tasks.add(GATED, "group", group);
        tasks.working(id);
        try (var holder =
                new ServedTable.Holder(tasks.database(), "SELECT FROM task WHERE id = " + id + " FOR UPDATE")) {
            assertThat(holder).isNotNull();
            gate.close();
            assertThat(tasks.run("SELECT 2", "group", group).output()).isEqualTo("2");
            assertThat(tasks.find(id).map(Task::state)).contains(TaskState.WORK);
        }
        assertThat(tasks.ended(id).output()).isEqualTo("1");
    }

    @Test
    void task_ofOpenTransaction_runsAtItsCommit() {
        String group = tasks.newGroup();
        try (var holder = new ServedTable.Holder(
                tasks.database(), "INSERT INTO task (\"group\", input) VALUES ('" + group + "', 'SELECT 1')")) {
            assertThat(holder).isNotNull();
            tasks.run("SELECT 2", "group", group);
            assertThat(tasks.all(group, "output")).isEqualTo("2");
        }
        tasks.awaitTrue("SELECT count(*) = 2 FROM task WHERE \"group\" = '" + group + "' AND state = 'DONE'");
    }

    @Test
    void task_ofReplicaSession_isNoticed() { // lost wake-ups (c)
        String group = tasks.newGroup();
        tasks.execute("SET session_replication_role = replica; INSERT INTO task (\"group\", input) VALUES ('" + group
                + "', 'SELECT 1')");
        tasks.awaitTrue("SELECT count(*) = 1 FROM task WHERE \"group\" = '" + group + "' AND state = 'DONE'");
    }

    @Test
    void task_insertedInAnEndedState_stays() {
        long done = tasks.add("SELECT 1", "state", "DONE");
        long gone = tasks.add("SELECT 1", "state", "GONE");
        tasks.run("SELECT 2");
        assertThat(tasks.find(done).flatMap(task -> Optional.ofNullable(task.start())))
                .isEmpty();
        assertThat(tasks.find(gone).map(Task::state)).contains(TaskState.GONE);
    }
}
