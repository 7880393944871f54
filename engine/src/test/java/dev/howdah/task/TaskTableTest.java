package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.howdah.Database;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.task.internal.store.TableName;
import dev.howdah.task.internal.table.TableInstaller;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.PGConnection;

@PostgresTest
class TaskTableTest {
    private final TestDatabase database;
    private final TaskTable tasks;

    TaskTableTest(TestDatabase database) {
        this.database = database;
        this.tasks = TaskTable.on(Database.of(database.uri()), "Sch ema", "Ta\"ble");
    }

    @BeforeEach
    void createTable() throws SQLException {
        try (Connection connection = database.connect()) {
            new TableInstaller(connection, new TableName("Sch ema", "Ta\"ble"), null, false).complete();
        }
    }

    @Test
    void each_changesThoseThatItIsFor() {
        long waiting = tasks.add("SELECT 1");
        long failed = tasks.add("SELECT 2");
        long done = tasks.add("SELECT 3");
        set(failed, "FAIL");
        set(done, "DONE");
        List<Long> all = List.of(done, waiting, failed, 987_654L);
        assertThat(tasks.retryEach(all)).isEqualTo(2);
        assertThat(tasks.retryEach(all)).isZero();
        assertThat(tasks.deleteEach(all)).isZero();
        assertThat(tasks.stopEach(List.of(waiting, done))).isEqualTo(2);
        assertThat(tasks.state(failed)).hasValue(TaskState.PLAN);
        assertThat(tasks.deleteEach(all)).isEqualTo(2);
        assertThat(tasks.find(failed)).isPresent();
        assertThat(tasks.retryEach(List.of())).isZero();
    }

    @Test
    void groups_haveWhatRunsAndWhatIsDue() {
        tasks.add(NewTask.of("SELECT 1").group("nightly").max(2));
        tasks.add(NewTask.of("SELECT 2").group("nightly").runAt(Instant.parse("2020-01-02T03:04:05Z")));
        tasks.add(NewTask.of("SELECT 3").group("later").runAt(Instant.parse("2099-01-02T03:04:05Z")));
        long running = tasks.add(NewTask.of("SELECT 4").group("busy"));
        set(running, "WORK");
        set(tasks.add(NewTask.of("SELECT 5").group("over")), "DONE");
        List<TaskCounts.Group> groups = tasks.groups(10);
        assertThat(groups).extracting(TaskCounts.Group::group).containsExactly("nightly", "busy");
        assertThat(groups.get(0).due()).isEqualTo(2);
        assertThat(groups.get(0).running()).isZero();
        assertThat(groups.get(0).oldest()).isEqualTo("2020-01-02T03:04:05Z");
        assertThat(groups.get(1).running()).isEqualTo(1);
        assertThat(groups.get(1).oldest()).isNull();
        assertThat(tasks.groups(1)).hasSize(1);
    }

    @Test
    void resumeEach_takesBackThatTasksWereStoppedBeforeTheyBegan() {
        long later = tasks.add(NewTask.of("SELECT 1").runAt(Instant.parse("2099-01-02T03:04:05.678901Z")));
        long begun = tasks.add("SELECT 2");
        long failed = tasks.add("SELECT 3");
        long waiting = tasks.add("SELECT 4");
        assertThat(tasks.stopEach(List.of(later))).isEqualTo(1);
        set(begun, "STOP");
        database.execute("UPDATE \"Sch ema\".\"Ta\"\"ble\" SET \"start\" = now() WHERE \"id\" = " + begun);
        set(failed, "FAIL");
        assertThat(tasks.resumeEach(List.of(later, begun, failed, waiting))).isEqualTo(1);
        assertThat(tasks.state(later)).hasValue(TaskState.PLAN);
        assertThat(tasks.find(later).orElseThrow().plan()).isEqualTo(Instant.parse("2099-01-02T03:04:05.678901Z"));
        assertThat(tasks.state(begun)).hasValue(TaskState.STOP);
        assertThat(tasks.state(failed)).hasValue(TaskState.FAIL);
        assertThat(tasks.resumeEach(List.of(later))).isZero();
    }

    private void set(long id, String state) {
        database.execute("UPDATE \"Sch ema\".\"Ta\"\"ble\" SET state = '" + state + "' WHERE id = " + id);
    }

    @Test
    void check_valuesAndSqlAreRight_addsNothing() {
        TaskCheck one =
                tasks.check(NewTask.of("SELECT 1 AS \"?\" ;\n").group("g").column("repeat", "1 month"));
        assertThat(one).isEqualTo(new TaskCheck(null, 0, null));
        assertThat(tasks.check(NewTask.of("/* twice */ (SELECT 1)"))).isEqualTo(one);
        assertThat(tasks.list(TaskQuery.all()).tasks()).isEmpty();
    }

    @Test
    void check_wrongSql_saysWhereAndRunsNothing() {
        assertThat(tasks.check(NewTask.of("SELECT no_such_column")))
                .isEqualTo(new TaskCheck("column \"no_such_column\" does not exist", 8, null));
        assertThat(tasks.check(NewTask.of("SELECT 1; DROP TABLE pg_class")).unchecked())
                .contains("more than one statement");
        assertThat(tasks.check(NewTask.of("COMMIT")).unchecked()).contains("COMMIT");
        assertThat(tasks.check(NewTask.of("SELEC 1")).error()).contains("syntax error");
        assertThat(tasks.check(NewTask.of("SELEC 1")).position()).isEqualTo(1);
        assertThat(tasks.check(NewTask.of("SELECT no_such_column").remote("host=elsewhere"))
                        .unchecked())
                .contains("another server");
        assertThat(tasks.list(TaskQuery.all()).tasks()).isEmpty();
    }

    @Test
    void check_wrongValue_isRefusedAsByAdding() {
        assertThatThrownBy(() -> tasks.check(NewTask.of("SELECT 1").column("repeat", "soon")))
                .isInstanceOf(TaskException.class)
                .hasMessageContaining("\"soon\"");
        assertThatThrownBy(() -> tasks.check(NewTask.of("SELECT 1").column("active", "0")))
                .isInstanceOf(TaskException.class)
                .hasMessageContaining("active");
        assertThat(tasks.list(TaskQuery.all()).tasks()).isEmpty();
    }

    @Test
    void add_onlyInput_takesDefaultsOfColumns() throws SQLException {
        database.execute("ALTER TABLE \"Sch ema\".\"Ta\"\"ble\" ALTER \"max\" SET DEFAULT 7");
        long id = tasks.add("SELECT 'ä'\n, $$x$$");
        Task task = tasks.find(id).orElseThrow();
        assertThat(task.state()).isEqualTo(TaskState.PLAN);
        assertThat(task.input()).isEqualTo("SELECT 'ä'\n, $$x$$");
        assertThat(task.max()).isEqualTo(7);
        assertThat(task.group()).isEqualTo("group");
        assertThat(task.output()).isNull();
    }

    @Test
    void add_columnsOfAllKinds_areReadByTheirTypes() throws SQLException {
        Instant plan = Instant.parse("2101-02-03T04:05:06.789012Z");
        long first = tasks.add("SELECT 1");
        long second = tasks.add("SELECT 2");
        NewTask wanted = NewTask.of("SELECT 1")
                .group("mine")
                .runAt(Instant.MAX)
                .active(Duration.ofDays(2))
                .column("repeat", "1 month 2 days")
                .max(-5)
                .column("delimiter", ";")
                .column("delete", "off")
                .column("data", "{\"a\": 1}")
                .timeout(Duration.ofSeconds(90))
                .maxAttempts(3)
                .backoff(Duration.ofMillis(1_500))
                .after(first, second)
                .remote("host=elsewhere")
                .once()
                .notifyOn("told");
        Task task = tasks.find(tasks.add(wanted)).orElseThrow();
        assertThat(tasks.find(tasks.add(NewTask.of("").runAt(plan).repeat(Duration.ofHours(36))))
                        .orElseThrow())
                .extracting(Task::input, Task::plan, Task::repeat)
                .containsExactly("", plan, "36:00:00");
        assertThat(tasks.find(tasks.add(NewTask.of("").runAt(Instant.MIN).zone(ZoneOffset.UTC)))
                        .orElseThrow())
                .extracting(Task::plan, Task::zone)
                .containsExactly(Instant.MIN, "UTC");
        assertThat(tasks.find(tasks.add(NewTask.of("").cron("@daily").zone(ZoneId.of("Europe/Berlin"))))
                        .orElseThrow())
                .extracting(Task::cron, Task::zone)
                .containsExactly("@daily", "Europe/Berlin");
        assertThat(task)
                .extracting(Task::active, Task::attempts, Task::backoff, Task::after, Task::remote)
                .containsExactly("48:00:00", 3, "00:00:01.5", "{" + first + "," + second + "}", "host=elsewhere");
        assertThat(task.group()).isEqualTo("mine");
        assertThat(task.plan()).isEqualTo(Instant.MAX);
        assertThat(task.repeat()).isEqualTo("1 mon 2 days");
        assertThat(task.timeout()).isEqualTo("00:01:30");
        assertThat(task.max()).isEqualTo(-5);
        assertThat(task.data()).isEqualTo("{\"a\": 1}");
        assertThat(task.once()).isTrue();
        assertThat(task.channel()).isEqualTo("told");
        assertThat(database.value(
                        "SELECT \"delimiter\"::text || \"delete\" FROM \"Sch ema\".\"Ta\"\"ble\" WHERE max = -5"))
                .isEqualTo(";false");
    }

    @Test
    void owner_whereTheTableKeepsIt_isShown() throws SQLException {
        long id = tasks.add("SELECT 1");
        assertThat(tasks.find(id).orElseThrow().owner()).isEqualTo("postgres");
        database.execute("ALTER TABLE \"Sch ema\".\"Ta\"\"ble\" DROP COLUMN owner CASCADE");
        assertThat(tasks.find(id).orElseThrow().owner()).isNull();
        assertThat(tasks.list(TaskQuery.all().limit(10)).tasks())
                .extracting(Task::owner)
                .containsOnlyNulls();
    }

    @Test
    void newTask_valueOutOfBounds_isRefusedAtOnce() {
        NewTask task = NewTask.of("SELECT 1");
        assertThatThrownBy(() -> task.maxAttempts(0)).hasMessage("0 attempts: at least 1 is needed");
        assertThatThrownBy(() -> task.zone(ZoneOffset.ofHours(2))).hasMessageContaining("there is no zone '+02:00'");
        assertThatThrownBy(() -> task.cron("often")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> task.active(Duration.ZERO)).hasMessageContaining("more than zero");
        assertThatThrownBy(() -> task.repeat(Duration.ofSeconds(-1))).hasMessageContaining("zero or more");
        assertThatThrownBy(() -> task.column("input", "SELECT 2")).hasMessageContaining("given to NewTask.of");
    }

    @Test
    void add_badValue_failsAsTheServerSays() {
        assertThatThrownBy(() -> tasks.add(NewTask.of("SELECT 1").column("repeat", "often")))
                .isInstanceOf(TaskException.class)
                .hasMessageContaining("invalid input syntax for type interval: \"often\"")
                .extracting(e -> ((TaskException) e).sqlState())
                .isEqualTo("22007");
        assertThatThrownBy(() -> tasks.add(NewTask.of("SELECT 1").column("colour", "red")))
                .hasMessageContaining("\"colour\"");
    }

    @Test
    void list_filters_newestFirstAndCut() throws SQLException {
        long first = tasks.add(NewTask.of("SELECT 1").column("group", "a"));
        long second = tasks.add(NewTask.of("x".repeat(5_000)).column("group", "b"));
        long third = tasks.add(NewTask.of("SELECT 3").column("group", "a").column("state", "STOP"));
        assertThat(tasks.list(TaskQuery.all().limit(10)).tasks())
                .extracting(Task::id)
                .containsExactly(third, second, first);
        assertThat(tasks.list(TaskQuery.all().limit(1)).tasks())
                .extracting(Task::id)
                .containsExactly(third);
        assertThat(tasks.list(TaskQuery.in(TaskState.PLAN)).tasks())
                .extracting(Task::id)
                .containsExactly(first, second);
        assertThat(tasks.list(TaskQuery.in(TaskState.PLAN).group("a")).tasks())
                .extracting(Task::id)
                .containsExactly(first);
        assertThat(tasks.list(TaskQuery.all().group("b")).tasks().get(0).input())
                .hasSize(TaskTable.LISTED_CHARACTERS);
    }

    @Test
    void find_noSuchTask_isEmpty() throws SQLException {
        assertThat(tasks.find(99)).isEmpty();
        assertThat(tasks.state(99)).isEmpty();
        assertThat(tasks.cancel(99)).isInstanceOf(TaskTable.Cancellation.Missing.class);
        assertThat(tasks.retry(99)).isInstanceOf(TaskTable.Retry.Missing.class);
    }

    @Test
    void cancel_waitingTask_stopsIt() throws SQLException {
        long id = tasks.add("SELECT 1");
        assertThat(tasks.cancel(id)).isInstanceOf(TaskTable.Cancellation.Stopped.class);
        assertThat(tasks.state(id)).contains(TaskState.STOP);
        assertThat(tasks.cancel(id)).isEqualTo(new TaskTable.Cancellation.Refused(TaskState.STOP, false));
    }

    @Test
    void cancel_runningTask_cancelsItsStatement() throws SQLException {
        String input = "SELECT pg_sleep(600)";
        try (Connection session = database.connect();
                Statement statement = session.createStatement()) {
            long id = running(input, pid(session), null);
            CompletableFuture<Throwable> ended = CompletableFuture.supplyAsync(() -> failureOf(statement, input));
            // The statement may not have arrived yet; until then there is nothing to cancel.
            await().until(() -> tasks.cancel(id) instanceof TaskTable.Cancellation.Requested);
            assertThat(ended.join()).hasMessageContaining("canceling statement due to user request");
        }
    }

    @Test
    void cancel_byARoleThatMayNot_saysSo() throws SQLException {
        String input = "SELECT pg_sleep(600)";
        String role = database.name() + "_clerk";
        database.execute("CREATE ROLE " + role + " LOGIN; GRANT USAGE ON SCHEMA \"Sch ema\" TO " + role
                + "; GRANT SELECT, UPDATE ON \"Sch ema\".\"Ta\"\"ble\" TO " + role);
        TaskTable clerk = TaskTable.on(Database.of(database.uri()).withUser(role), "Sch ema", "Ta\"ble");
        try (Connection session = database.connect()) {
            long id = running(input, pid(session), null);
            assertThatThrownBy(() -> clerk.cancel(id))
                    .isInstanceOf(TaskException.class)
                    // As PostgreSQL says it from 16 on, and before.
                    .hasMessageMatching("(?s).*(permission denied|must be a superuser).*");
        } finally {
            database.execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
        }
    }

    @Test
    void cancel_sessionThatWentOnToOtherWork_leavesThatAlone() throws SQLException {
        String other = "SELECT pg_sleep(600), 'another task'";
        try (Connection session = database.connect();
                Statement statement = session.createStatement()) {
            int pid = pid(session);
            long id = running("SELECT 1", pid, null);
            CompletableFuture<Throwable> ended = CompletableFuture.supplyAsync(() -> failureOf(statement, other));
            await().until(() ->
                    "active".equals(database.value("SELECT state FROM pg_stat_activity WHERE pid = " + pid)));
            assertThat(tasks.cancel(id)).isEqualTo(new TaskTable.Cancellation.Refused(TaskState.WORK, false));
            assertThat(ended).isNotDone();
            statement.cancel();
            ended.join();
        }
    }

    @Test
    void cancel_remoteRunningTask_isRefused() throws SQLException {
        long id = running("SELECT 1", 1, "host=elsewhere");
        assertThat(tasks.cancel(id)).isEqualTo(new TaskTable.Cancellation.Refused(TaskState.WORK, true));
    }

    @ParameterizedTest
    @EnumSource(
            value = TaskState.class,
            names = {"DONE", "FAIL", "GONE", "STOP"})
    void retry_endedTask_isPlannedWithoutResults(TaskState state) throws SQLException {
        long id = tasks.add(NewTask.of("SELECT 1")
                .column("state", state.name())
                .column("plan", "2001-01-01")
                .column("start", "now")
                .column("stop", "now")
                .column("output", "old")
                .column("error", "old")
                .column("pid", "1"));
        assertThat(tasks.retry(id)).isEqualTo(new TaskTable.Retry.Planned(state));
        Task task = tasks.find(id).orElseThrow();
        assertThat(task.state()).isEqualTo(TaskState.PLAN);
        assertThat(task.plan()).isAfter(Instant.parse("2020-01-01T00:00:00Z"));
        assertThat(task)
                .extracting(Task::start, Task::stop, Task::pid, Task::output, Task::error)
                .containsOnlyNulls();
    }

    @ParameterizedTest
    @EnumSource(
            value = TaskState.class,
            names = {"PLAN", "TAKE", "WORK"})
    void retry_taskThatHasNotEnded_isRefused(TaskState state) throws SQLException {
        long id = tasks.add(NewTask.of("SELECT 1").column("state", state.name()));
        assertThat(tasks.retry(id)).isEqualTo(new TaskTable.Retry.Refused(state));
        assertThat(tasks.state(id)).contains(state);
    }

    private long running(String input, int pid, @Nullable String remote) throws SQLException {
        NewTask task = NewTask.of(input)
                .column("state", "WORK")
                .column("pid", Integer.toString(pid))
                .column("start", "now");
        return tasks.add(remote == null ? task : task.remote(remote));
    }

    private static int pid(Connection session) throws SQLException {
        return session.unwrap(PGConnection.class).getBackendPID();
    }

    private static Throwable failureOf(Statement statement, String sql) {
        try {
            statement.execute(sql);
            return new AssertionError("not cancelled");
        } catch (SQLException e) {
            return e;
        }
    }

    private void insert(String columns, String values) {
        database.execute("INSERT INTO \"Sch ema\".\"Ta\"\"ble\" (" + columns + ") " + values);
    }

    @Test
    void list_pages_haveEachTaskOnceTheNewestFirst() {
        insert("input, state", "SELECT 'SELECT ' || n, 'DONE' FROM generate_series(1, 25) n");
        List<Long> seen = new ArrayList<>();
        TaskQuery query = TaskQuery.all().limit(10);
        int pages = 0;
        while (query != null) {
            TaskPage page = tasks.list(query);
            page.tasks().forEach(each -> seen.add(each.id()));
            query = page.next();
            pages++;
        }
        assertThat(pages).isEqualTo(3);
        assertThat(seen).hasSize(25).doesNotHaveDuplicates().isSortedAccordingTo(Comparator.reverseOrder());
    }

    @Test
    void list_planned_comesByTimeAndPagesOverEqualTimes() {
        insert(
                "input, plan",
                "SELECT 'x', CASE WHEN n > 20 THEN 'infinity' ELSE now() + interval '1 hour' * (n % 3 + 1) END"
                        + " FROM generate_series(1, 25) n");
        List<Task> seen = new ArrayList<>();
        TaskQuery query = TaskQuery.all().state(TaskState.PLAN).limit(4);
        while (query != null) {
            TaskPage page = tasks.list(query);
            seen.addAll(page.tasks());
            query = page.next();
        }
        assertThat(seen).extracting(Task::id).hasSize(25).doesNotHaveDuplicates();
        assertThat(seen).isSortedAccordingTo(Comparator.comparing(Task::plan));
    }

    private List<Long> all(TaskQuery first) {
        List<Long> seen = new ArrayList<>();
        for (TaskQuery query = first; query != null; ) {
            TaskPage page = tasks.list(query);
            page.tasks().forEach(each -> seen.add(each.id()));
            query = page.next();
        }
        return seen;
    }

    @Tag("long")
    @Test
    void list_inTheOtherOrder_hasTheSameTasksTurnedRound() {
        insert(
                "input, plan",
                "SELECT 'x', CASE WHEN n > 20 THEN 'infinity' ELSE now() + interval '1 hour' * (n % 3 + 1) END"
                        + " FROM generate_series(1, 25) n");
        TaskQuery planned = TaskQuery.all().state(TaskState.PLAN).limit(4);
        for (TaskQuery.Order[] each : new TaskQuery.Order[][] {
            {TaskQuery.Order.NEWEST, TaskQuery.Order.OLDEST}, {TaskQuery.Order.SOONEST, TaskQuery.Order.LATEST}
        }) {
            List<Long> turned = all(planned.order(each[1]));
            assertThat(turned).hasSize(25).doesNotHaveDuplicates();
            Collections.reverse(turned);
            assertThat(turned).isEqualTo(all(planned.order(each[0])));
        }
        assertThat(all(TaskQuery.all().order(TaskQuery.Order.OLDEST).limit(7)))
                .isSorted()
                .hasSize(25);
        assertThatThrownBy(() -> TaskQuery.all().order(TaskQuery.Order.LATEST))
                .hasMessage("the order LATEST is for tasks in the state PLAN, not for those in any");
        assertThatThrownBy(() -> TaskQuery.in(TaskState.FAIL).order(TaskQuery.Order.SOONEST))
                .hasMessage("the order SOONEST is for tasks in the state PLAN, not for FAIL");
    }

    @Test
    void list_oldestFirst_looksAtABoundedNumberAndGoesOn() {
        insert("input, state", "SELECT 'x', 'DONE' FROM generate_series(1, 20000) n");
        insert("input, state", "VALUES ('SELECT ''rare''', 'DONE')");
        TaskPage first = tasks.list(TaskQuery.all().text("rare").order(TaskQuery.Order.OLDEST));
        assertThat(first.tasks()).isEmpty();
        assertThat(first.searchedTo()).isEqualTo(20_000);
        TaskPage second = tasks.list(Objects.requireNonNull(first.next()));
        assertThat(second.tasks()).hasSize(1);
        assertThat(second.next()).isNull();
    }

    @Test
    void list_filters_areAllMet() {
        insert(
                "input, \"group\", state, error",
                "VALUES ('SELECT 1', 'a', 'FAIL', 'no such ''thing''.'), ('SELECT 2', 'b', 'FAIL', 'no'),"
                        + " ('SELECT 3', 'a', 'DONE', NULL)");
        assertThat(tasks.list(TaskQuery.all().group("a").state(TaskState.FAIL)).tasks())
                .extracting(Task::input)
                .containsExactly("SELECT 1");
        assertThat(tasks.list(TaskQuery.all().text("such 'thing'")).tasks()).hasSize(1);
        assertThat(tasks.list(TaskQuery.all().owner("nobody")).tasks()).isEmpty();
        assertThat(tasks.list(TaskQuery.all().group("a")).tasks()).hasSize(2);
    }

    @Test
    void list_rareMatch_looksAtABoundedNumberAndGoesOn() {
        insert("input, state", "VALUES ('SELECT ''rare''', 'DONE')");
        insert("input, state", "SELECT 'x', 'DONE' FROM generate_series(1, 20000) n");
        TaskPage first = tasks.list(TaskQuery.all().text("rare"));
        assertThat(first.tasks()).isEmpty();
        assertThat(first.searchedTo()).isEqualTo(2);
        TaskPage second = tasks.list(Objects.requireNonNull(first.next()));
        assertThat(second.tasks()).hasSize(1);
        assertThat(second.next()).isNull();
    }

    @Tag("long")
    @Test
    void list_ofAState_findsTheFirstBehindMillionsOfOthers() {
        insert("input, state", "VALUES ('SELECT 1', 'DONE')");
        database.execute("ALTER TABLE \"Sch ema\".\"Ta\"\"ble\" DISABLE TRIGGER USER");
        insert("input, plan", "SELECT 'x', 'infinity' FROM generate_series(1, 1150000) n");
        TaskQuery query = TaskQuery.in(TaskState.DONE).limit(1);
        assertThat(tasks.list(query, Long.MAX_VALUE).tasks())
                .extracting(Task::input)
                .containsExactly("SELECT 1");
        TaskPage first = tasks.list(query, 0);
        assertThat(first.tasks()).isEmpty();
        assertThat(first.searchedTo()).isEqualTo(1_150_001 - 620_000 + 1);
        assertThat(tasks.list(Objects.requireNonNull(first.next()), 0).tasks())
                .extracting(Task::input)
                .containsExactly("SELECT 1");
    }

    @Test
    void list_ofAState_findsTheFirstBehindManyOfOthers() {
        insert("input, state", "VALUES ('SELECT 1', 'DONE'), ('SELECT 2', 'DONE')");
        insert("input, plan", "SELECT 'x', 'infinity' FROM generate_series(1, 30000) n");
        insert("input, state", "VALUES ('SELECT 3', 'FAIL')");
        for (TaskQuery query : List.of(
                TaskQuery.in(TaskState.DONE),
                TaskQuery.all().state(TaskState.DONE).from(Instant.EPOCH))) {
            TaskPage page = tasks.list(query.limit(1));
            assertThat(page.tasks()).extracting(Task::input).containsExactly("SELECT 2");
            assertThat(tasks.list(Objects.requireNonNull(page.next())).tasks())
                    .extracting(Task::input)
                    .containsExactly("SELECT 1");
        }
        TaskPage oldest = tasks.list(TaskQuery.in(TaskState.FAIL).order(TaskQuery.Order.OLDEST));
        assertThat(oldest.tasks()).extracting(Task::input).containsExactly("SELECT 3");
        assertThat(oldest.next()).isNull();
        assertThat(tasks.list(TaskQuery.in(TaskState.GONE))).isEqualTo(new TaskPage(List.of(), null, null, 0));
    }

    @Test
    void query_placeOfAnotherList_isRefused() {
        assertThatThrownBy(() -> TaskQuery.all().after("2026-01-01T00:00:00Z,5"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no place in this list: \"2026-01-01T00:00:00Z,5\"");
        assertThatThrownBy(() -> TaskQuery.all().limit(0)).hasMessage("limit has to be 1 to 1000, not 0");
    }

    @Test
    void counts_tellStatesApart() {
        insert(
                "input, state, plan",
                "VALUES ('x', 'DONE', now()), ('x', 'FAIL', now()), ('x', 'FAIL', now()),"
                        + " ('x', 'PLAN', now() + interval '1 day')");
        TaskCounts counts = tasks.counts();
        assertThat(counts.byState())
                .containsExactlyInAnyOrderEntriesOf(Map.of(TaskState.DONE, 1L, TaskState.FAIL, 2L, TaskState.PLAN, 1L));
        assertThat(counts.of(TaskState.WORK)).isZero();
    }

    @Test
    void children_areThoseOfTheTask() {
        insert("input, state", "VALUES ('x', 'DONE')");
        insert("input, state, parent", "VALUES ('y', 'DONE', 1), ('z', 'DONE', 1)");
        assertThat(tasks.children(1, 10)).extracting(Task::input).containsExactly("z", "y");
        assertThat(tasks.children(2, 10)).isEmpty();
    }

    @Test
    void change_ofATaskThatWaits_setsWhatIsGivenAndKeepsTheRest() {
        insert("input, \"group\", data, plan, timeout", "VALUES ('x', 'g', 'd', now() + interval '1 day', '5 s')");
        assertThat(tasks.change(
                        1, NewTask.of("SELECT 'new'").column("group", "h").cron("@daily"), List.of("data", "timeout")))
                .isTrue();
        Task changed = tasks.find(1).orElseThrow();
        assertThat(List.of(
                        changed.input(),
                        changed.group(),
                        changed.timeout(),
                        changed.state().name()))
                .containsExactly("SELECT 'new'", "h", "00:00:00", "PLAN");
        assertThat(changed.data()).isNull();
        assertThat(changed.cron()).isEqualTo("@daily");
        assertThatThrownBy(() -> tasks.change(1, NewTask.of("x").column("max", "many"), List.of()))
                .hasMessageContaining("many");
        assertThatThrownBy(() -> tasks.change(1, NewTask.of("x"), List.of("data\" = 'b', \"input")))
                .isInstanceOf(TaskException.class);
        insert("input, state", "VALUES ('x', 'DONE'), ('x', 'STOP')");
        assertThat(tasks.change(2, NewTask.of("y"), List.of())).isFalse();
        assertThat(tasks.change(3, NewTask.of("y"), List.of())).isTrue();
        assertThat(tasks.change(99, NewTask.of("y"), List.of())).isFalse();
    }

    @Test
    void dependents_areThoseThatWaitForTheTask() {
        insert("input, state", "VALUES ('x', 'WORK')");
        insert("input, after", "VALUES ('y', '{1}'), ('z', '{1}')");
        insert("input, state, after", "VALUES ('done', 'DONE', '{1}')");
        assertThat(tasks.dependents(1, 10)).extracting(Task::input).containsExactly("y", "z");
        assertThat(tasks.dependents(1, 1)).extracting(Task::input).containsExactly("y");
        assertThat(tasks.dependents(3, 10)).isEmpty();
    }

    @Test
    void delete_endedTask_isGone_waitingStays() {
        insert("input, state, plan", "VALUES ('x', 'DONE', now()), ('x', 'PLAN', now() + interval '1 day')");
        assertThat(tasks.delete(1)).isTrue();
        assertThat(tasks.delete(1)).isFalse();
        assertThat(tasks.delete(2)).isFalse();
        assertThat(tasks.find(1)).isEmpty();
        assertThat(tasks.find(2)).isPresent();
    }
}
