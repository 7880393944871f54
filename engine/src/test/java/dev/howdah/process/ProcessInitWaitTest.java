package dev.howdah.process;

import static dev.howdah.process.Scripted.NAMESPACE;
import static dev.howdah.process.Scripted.ids;
import static dev.howdah.process.Scripted.reason;
import static dev.howdah.process.Scripted.script;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A get during init waits as long as it is told to, and by default not at all. */
@PostgresTest
class ProcessInitWaitTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    /** Not one of the common pool, whose threads other tests may occupy. */
    private static final Executor OWN_THREAD = task -> new Thread(task, "asker").start();

    private final TestDatabase database;
    private final CountDownLatch initMayEnd = new CountDownLatch(1);

    ProcessInitWaitTest(TestDatabase database) {
        this.database = database;
    }

    private ProcessReader reader(Duration wait) {
        return ProcessReader.on(Scripted.source(database)).initWait(wait);
    }

    /** A get in a thread of its own that has seen the status init and waits. */
    private record Waiting(Thread thread, FutureTask<ProcessState> answer) {
        static Waiting of(ProcessReader reader, String id) {
            FutureTask<ProcessState> answer = new FutureTask<>(() -> reader.get(NAMESPACE, id));
            Thread thread = new Thread(answer, "get");
            thread.start();
            Scripted.awaiting("the get waits")
                    .until(() -> Arrays.stream(thread.getStackTrace())
                            .anyMatch(frame -> frame.getMethodName().equals("sleep")));
            return new Waiting(thread, answer);
        }

        ProcessState get() throws Exception {
            return answer.get(30, TimeUnit.SECONDS);
        }
    }

    private CompletableFuture<String> beginInit(Scripted node, String id) {
        CompletableFuture<String> init = CompletableFuture.supplyAsync(() -> reason(() -> node.init(id)), OWN_THREAD);
        node.awaitBegun(id, 1);
        return init;
    }

    @Test
    void get_withInitWait_returnsTheStateAfterInit() throws Exception {
        String id = script((task, process) -> {
            initMayEnd.await();
            return Intent.none().event(1, "first").auxState("aux");
        });
        try (Scripted node = Scripted.in(database);
                Processes client = Processes.on(Scripted.dataSource(database))
                        .initWait(LONG)
                        .start()) {
            CompletableFuture<String> init = beginInit(node, id);
            Waiting waiting = Waiting.of(reader(LONG), id);
            CompletableFuture<ProcessState> another =
                    CompletableFuture.supplyAsync(() -> client.get(NAMESPACE, id, HistoryRange.last(1)), OWN_THREAD);
            assertThat(node.get(id).status()).isEqualTo(ProcessStatus.INIT);
            assertThat(waiting.answer().isDone()).isFalse();
            initMayEnd.countDown();
            for (ProcessState each : new ProcessState[] {waiting.get(), another.get(30, TimeUnit.SECONDS)}) {
                assertThat(each.status()).isEqualTo(ProcessStatus.RUNNING);
                assertThat(ids(each)).containsExactly(1L);
                assertThat(each.auxState().as(String.class)).isEqualTo("aux");
            }
            assertThat(init.get(30, TimeUnit.SECONDS)).isEmpty();
        }
    }

    @Test
    void get_initTakesLonger_returnsInitAfterTheWait() {
        String id = script((task, process) -> {
            initMayEnd.await();
            return Intent.none();
        });
        try (Scripted node = Scripted.in(database)) {
            CompletableFuture<String> init = beginInit(node, id);
            long began = System.nanoTime();
            assertThat(reader(Duration.ofMillis(300)).get(NAMESPACE, id).status())
                    .isEqualTo(ProcessStatus.INIT);
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
            initMayEnd.countDown();
            assertThat(init.orTimeout(30, TimeUnit.SECONDS).join()).isEmpty();
        }
    }

    @Test
    void get_initFails_returnsTheError() throws Exception {
        String id = script((task, process) -> {
            initMayEnd.await();
            throw new StepFailedException("no");
        });
        try (Scripted node = Scripted.in(database)) {
            CompletableFuture<String> init = beginInit(node, id);
            Waiting waiting = Waiting.of(reader(LONG), id);
            initMayEnd.countDown();
            assertThat(waiting.get().status()).isEqualTo(ProcessStatus.ERROR);
            assertThat(init.get(30, TimeUnit.SECONDS)).isEqualTo("no");
        }
    }

    @Test
    void get_processIsRemovedMeanwhile_isNotFound() throws Exception {
        String id = script((task, process) -> {
            initMayEnd.await();
            return Intent.none();
        });
        try (Scripted node = Scripted.in(database)) {
            beginInit(node, id);
            Waiting waiting = Waiting.of(reader(LONG), id);
            database.execute("DELETE FROM howdah_internal.process WHERE id = '" + id + "'");
            assertThatThrownBy(waiting::get).hasRootCauseMessage("process not found");
            initMayEnd.countDown();
        }
    }

    @Test
    void get_isInterrupted_endsAtOnce() throws Exception {
        String id = script((task, process) -> {
            initMayEnd.await();
            return Intent.none();
        });
        try (Scripted node = Scripted.in(database)) {
            beginInit(node, id);
            Waiting waiting = Waiting.of(reader(LONG), id);
            waiting.thread().interrupt();
            assertThatThrownBy(waiting::get)
                    .cause()
                    .isInstanceOf(ProcessException.class)
                    .hasMessage("interrupted while process " + id + " was in status init");
            initMayEnd.countDown();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT-0.001S", "PT10M0.001S", "PT9000000000000H"})
    void initWait_outOfBounds_isRefused(Duration wait) {
        ProcessReader reader = reader(Duration.ZERO);
        assertThatThrownBy(() -> reader.initWait(wait))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("an initWait of " + wait + " is not within 0 and 10 minutes");
        ProcessesBuilder builder = Processes.on(Scripted.source(database));
        assertThatThrownBy(() -> builder.initWait(wait)).isInstanceOf(IllegalArgumentException.class);
    }
}
