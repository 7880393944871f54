package dev.howdah.process;

import static dev.howdah.process.Scripted.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.process.Namespace.Retention;
import dev.howdah.process.notice.DeliveryException;
import dev.howdah.process.notice.Notice;
import dev.howdah.process.notice.Publisher;
import dev.howdah.process.query.ProcessQuery;
import dev.howdah.process.query.ProcessSummary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What the manual grants to roles that own nothing is enough: for one to work processes and to ask them, for another to look at them. */
@PostgresTest
class ProcessRightsTest {
    private static final String NAMESPACE = "till";

    private final TestDatabase database;

    ProcessRightsTest(TestDatabase database) {
        this.database = database;
    }

    private static Intent step(ProcessTask task, ProcessState process) {
        String args = task.args().size() == 0 ? "" : task.args().as(String.class);
        return switch (args) {
            case "fail" -> throw new StepFailedException("no");
            case "wait" -> Intent.none().event("later").then(Action.timeout());
            case "remove" -> Intent.none().then(Action.remove());
            default -> Intent.none().event("done");
        };
    }

    /** Does it as a new role that has got what the manual grants to that one. */
    private void as(String granted, Consumer<PGSimpleDataSource> work) throws Exception {
        Matcher grants = Pattern.compile(
                        "CREATE ROLE " + granted + " LOGIN;[^\"]*TO " + granted + "(?=\")", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("..", "docs", "operations", "privileges.md")));
        assertThat(grants.find()).isTrue();
        String role = database.name() + "_" + granted;
        database.execute(grants.group().replace(granted, role));
        try {
            PGSimpleDataSource source = Scripted.source(database);
            source.setUser(role);
            work.accept(source);
        } finally {
            database.execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
        }
    }

    @BeforeEach
    void install() throws SQLException {
        try (Connection owner = Scripted.source(database).getConnection()) {
            Processes.install(owner);
        }
    }

    @Test
    void role_withTheGrantsOfTheManual_doesAllThatNodesDo() throws Exception {
        as("cashier", this::work);
    }

    @Test
    void role_thatMayOnlyStart_startsAndTells() throws Exception {
        try (Processes node = Processes.on(Scripted.dataSource(database))
                .namespace(Namespace.of(NAMESPACE, ProcessRightsTest::step))
                .start()) {
            as("storefront", source -> {
                try (Connection connection = source.getConnection();
                        Statement statement = connection.createStatement()) {
                    for (String each : List.of("'1'::json", "'1'::jsonb", "'1'"))
                        statement.execute("SELECT howdah.start_process('till', 'a', " + each + ")");
                    await().atMost(Scripted.PATIENCE)
                            .until(() -> node.get(NAMESPACE, "a").lastEventId() == 1);
                    for (String each : List.of("'2'::json", "'2'::jsonb", "'2'"))
                        statement.execute("SELECT howdah.notify_process('till', 'a', " + each + ")");
                } catch (SQLException e) {
                    throw new AssertionError(e);
                }
            });
            await().atMost(Scripted.PATIENCE)
                    .until(() -> node.get(NAMESPACE, "a").lastEventId() == 4);
        }
    }

    @Test
    void role_thatMayOnlyLook_seesAllAndChangesNothing() throws Exception {
        as("auditor", this::look);
    }

    private void look(PGSimpleDataSource source) {
        source.setReadOnly(true);
        ProcessReader reader = ProcessReader.on(source);
        assertThat(reason(() -> reader.list(ProcessQuery.of(NAMESPACE).limit(10))))
                .isEqualTo("namespace not found");
        try (Processes processes = Processes.on(Scripted.dataSource(database))
                .namespace(Namespace.of(
                        NAMESPACE,
                        (task, process) -> task.args().size() == 0
                                ? Intent.none().event("done").then(Action.timeout(Duration.ofHours(1)))
                                : step(task, process)))
                .start()) {
            processes.init(NAMESPACE, "a", null);
            assertThat(reason(() -> processes.init(NAMESPACE, "broken", "fail")))
                    .isEqualTo("no");
        }
        assertThat(reader.get(NAMESPACE, "a").history()).hasSize(1);
        assertThat(reader.get(NAMESPACE, "a", HistoryRange.NONE).lastEventId()).isEqualTo(1);
        assertThat(reader.trace(NAMESPACE, "a")).hasSize(2);
        assertThat(reader.list(ProcessQuery.of(NAMESPACE).limit(10)))
                .extracting(ProcessSummary::id)
                .containsExactly("a", "broken");
        assertThat(reader.list(
                        ProcessQuery.of(NAMESPACE).status(ProcessStatus.ERROR).limit(10)))
                .hasSize(1);
        assertThat(reader.timers(NAMESPACE, 10)).hasSize(1);
        assertThat(reason(() -> reader.get(NAMESPACE, "b"))).isEqualTo("process not found");
        assertThat(reason(() -> reader.trace(NAMESPACE, "b"))).isEqualTo("process not found");
        assertThat(database.value("SELECT count(*) FROM howdah_internal.node")).isEqualTo("0");
        assertThat(database.query("SELECT table_name FROM information_schema.role_table_grants WHERE grantee = '"
                        + source.getUser() + "' AND privilege_type <> 'SELECT'"))
                .isEmpty();
    }

    private void work(PGSimpleDataSource source) {
        List<String> told = new CopyOnWriteArrayList<>();
        Namespace namespace = Namespace.builder(NAMESPACE, ProcessRightsTest::step)
                .retention(Retention.archiveAfter(Duration.ZERO))
                .build();
        Publisher publisher = notices -> {
            for (Notice each : notices) {
                if (each.process().equals("held") && !told.contains("skipped"))
                    throw new DeliveryException("never", null).refused(each, "never");
                told.add(each.process() + " " + each.kind());
            }
        };
        try (Processes processes =
                Processes.on(source).namespace(namespace, publisher).start()) {
            processes.init(NAMESPACE, "a", "wait");
            processes.init(NAMESPACE, "removed", "wait");
            processes.call(NAMESPACE, "removed", "remove");
            assertThat(reason(() -> processes.init(NAMESPACE, "broken", "fail")))
                    .isEqualTo("no");
            assertThat(processes.list(ProcessQuery.of(NAMESPACE).limit(10))).isNotEmpty();
            assertThat(processes.trace(NAMESPACE, "broken")).hasSize(1);
            processes.init(NAMESPACE, "held", "wait");
            Scripted.awaiting("it is held")
                    .until(() -> processes.notices().backlog(NAMESPACE).heldProcesses() == 1);
            told.add("skipped");
            processes.notices().tellAgain(NAMESPACE, "held");
            Scripted.awaiting("all are told and archived")
                    .until(() ->
                            told.containsAll(List.of("a REMOVED", "removed REMOVED", "broken FAILED", "held REMOVED"))
                                    && "4".equals(database.value("SELECT count(*) FROM howdah.process_archive_event")));
        }
    }
}
