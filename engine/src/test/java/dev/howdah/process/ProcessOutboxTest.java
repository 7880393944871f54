package dev.howdah.process;

import static dev.howdah.process.Scripted.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** P125: others are told what has happened, after it has, in order for each process, at least once. */
@PostgresTest
class ProcessOutboxTest {
    private static final String NAMESPACE = "told";

    private final TestDatabase database;

    ProcessOutboxTest(TestDatabase database) {
        this.database = database;
    }

    private static Intent step(Task task, ProcessState process) {
        String args = task.args().size() == 0 ? "" : task.args().as(String.class);
        return switch (args) {
            case "fail" -> throw new FailedException("no");
            case "remove" -> Intent.none().event("lost").then(Action.remove());
            case "two" ->
                Intent.none().event("a").event(NewEvent.of("b").metadata(java.util.Map.of("format_version", 1)));
            default -> Intent.none();
        };
    }

    private Processes start(Publisher publisher) {
        return Processes.on(Scripted.source(database))
                .namespace(Namespace.of(NAMESPACE, ProcessOutboxTest::step), publisher)
                .start();
    }

    private static String said(Notice notice) {
        String what = notice.kind() == Notice.Kind.EVENT
                ? "event " + notice.event()
                : notice.kind().name();
        return notice.process() + " " + what + (notice.detail() == null ? "" : " " + notice.detail());
    }

    @Test
    void steps_areToldInTheOrderOfTheirProcess() {
        List<String> told = new CopyOnWriteArrayList<>();
        try (Processes processes = start(notices -> notices.forEach(each -> told.add(said(each))))) {
            processes.init(NAMESPACE, "a", "two");
            assertThat(reason(() -> processes.init(NAMESPACE, "b", "fail"))).isEqualTo("no");
            processes.call(NAMESPACE, "a", "two");
            processes.call(NAMESPACE, "a", "");
            assertThat(reason(() -> processes.call(NAMESPACE, "a", "fail"))).isEqualTo("no");
            assertThat(reason(() -> processes.repair(NAMESPACE, "a", "fail"))).isEqualTo("no");
            processes.repair(NAMESPACE, "a", "two");
            assertThat(reason(() -> processes.call(NAMESPACE, "a", "fail"))).isEqualTo("no");
            processes.simpleRepair(NAMESPACE, "a");
            processes.call(NAMESPACE, "a", "remove");
            Scripted.awaiting("all is told").until(() -> told.contains("a REMOVED"));
        }
        assertThat(told)
                .filteredOn(each -> each.startsWith("a "))
                .containsExactly(
                        "a CREATED",
                        "a event 1",
                        "a event 2",
                        "a event 3",
                        "a event 4",
                        "a FAILED no",
                        "a REPAIRED",
                        "a event 5",
                        "a event 6",
                        "a FAILED no",
                        "a REPAIRED",
                        "a REMOVED");
        assertThat(told).filteredOn(each -> each.startsWith("b ")).containsExactly("b FAILED no");
        assertThat(database.value("SELECT count(*) FROM howdah.process_outbox")).isEqualTo("0");
    }

    @Test // nobody answers for a while: it delays the notices and nothing else
    void publisher_failing_theSameNoticesComeAgain() {
        AtomicInteger calls = new AtomicInteger();
        List<Long> told = new CopyOnWriteArrayList<>();
        try (Processes processes = start(notices -> {
            if (calls.incrementAndGet() == 1) throw new java.io.IOException("nobody answers");
            for (Notice each : notices) if (each.event() != null) told.add(each.event());
        })) {
            processes.init(NAMESPACE, "a", "two");
            for (int i = 0; i < 5; i++) processes.call(NAMESPACE, "a", "two");
            Scripted.awaiting("all is told").until(() -> told.size() >= 12);
        }
        assertThat(told).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L, 12L);
        assertThat(calls.get()).isGreaterThan(1);
    }
}
