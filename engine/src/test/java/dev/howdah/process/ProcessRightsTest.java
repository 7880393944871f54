package dev.howdah.process;

import static dev.howdah.process.Scripted.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What the manual grants to a role that owns nothing is enough to work processes, and to ask them. */
@PostgresTest
class ProcessRightsTest {
    private static final Pattern GRANTS =
            Pattern.compile("GRANT USAGE ON SCHEMA howdah TO cashier;.*?IN SCHEMA howdah TO cashier", Pattern.DOTALL);
    private static final String NAMESPACE = "till";

    private final TestDatabase database;

    ProcessRightsTest(TestDatabase database) {
        this.database = database;
    }

    private static Intent step(Task task, ProcessState process) {
        String args = task.args().size() == 0 ? "" : task.args().as(String.class);
        return switch (args) {
            case "fail" -> throw new FailedException("no");
            case "wait" -> Intent.none().event("later").then(Action.timeout());
            case "remove" -> Intent.none().then(Action.remove());
            default -> Intent.none().event("done");
        };
    }

    @Test
    void role_withTheGrantsOfTheManual_doesAllThatNodesDo() throws Exception {
        try (Connection owner = Scripted.source(database).getConnection()) {
            Processes.install(owner);
        }
        Matcher grants = GRANTS.matcher(Files.readString(Path.of("..", "docs", "operations.md")));
        assertThat(grants.find()).isTrue();
        String role = database.name() + "_cashier";
        database.execute("CREATE ROLE " + role + " LOGIN");
        try {
            database.execute(grants.group().replace("cashier", role));
            work(role);
        } finally {
            database.execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
        }
    }

    private void work(String role) {
        PGSimpleDataSource source = Scripted.source(database);
        source.setUser(role);
        List<String> told = new CopyOnWriteArrayList<>();
        Namespace namespace =
                Namespace.of(NAMESPACE, ProcessRightsTest::step).retention(Retention.archiveAfter(Duration.ZERO));
        Publisher publisher = notices -> {
            for (Notice each : notices) {
                if (each.process().equals("held") && !told.contains("skipped"))
                    throw new UndeliveredException("never", null).refused(each, "never");
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
            assertThat(processes.list(NAMESPACE, null, "", 10)).isNotEmpty();
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
