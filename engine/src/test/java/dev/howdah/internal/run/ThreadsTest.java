package dev.howdah.internal.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Errors in threads: what survives, and what is heard of them. */
@Isolated("the program's own answer to an error is one for the whole process")
class ThreadsTest {
    private static final long LIMIT = 30;

    private final List<Error> heard = new ArrayList<>();

    @BeforeEach
    void listen() {
        Threads.onError(e -> {
            synchronized (heard) {
                heard.add(e);
            }
        });
    }

    @AfterEach
    void listenNoMore() {
        Threads.onError(e -> {});
    }

    @Test
    void loopBeginsAgainAfterAnError() throws Exception {
        AtomicInteger times = new AtomicInteger();
        AtomicReference<String> broken = new AtomicReference<>();
        CountDownLatch first = new CountDownLatch(1);
        Thread loop = Threads.loop("howdah-test-loop", () -> {
            if (times.incrementAndGet() > 1) return;
            first.countDown();
            throw new NoClassDefFoundError("of a jar that was replaced");
        });
        loop.start();
        assertThat(first.await(LIMIT, TimeUnit.SECONDS)).isTrue();
        while (broken.get() == null && loop.isAlive() && times.get() == 1) broken.set(Threads.brokenLoop());
        loop.join(TimeUnit.SECONDS.toMillis(LIMIT));

        assertThat(times).hasValue(2);
        assertThat(broken.get()).contains("howdah-test-loop").contains("NoClassDefFoundError");
        assertThat(Threads.brokenLoop()).isNull();
        assertThat(heard).hasSize(1);
    }

    @Test
    void loopThatIsInterruptedAfterAnErrorEnds() throws Exception {
        CountDownLatch failed = new CountDownLatch(1);
        Thread loop = Threads.loop("howdah-test-loop", () -> {
            failed.countDown();
            throw new IllegalStateException("always");
        });
        loop.start();
        assertThat(failed.await(LIMIT, TimeUnit.SECONDS)).isTrue();
        loop.interrupt();
        loop.join(TimeUnit.SECONDS.toMillis(LIMIT));

        assertThat(loop.isAlive()).isFalse();
        assertThat(Threads.brokenLoop()).isNull();
        assertThat(heard).isEmpty();
    }

    @Test
    void clockGoesOnAfterAnError() throws Exception {
        CountDownLatch times = new CountDownLatch(3);
        ScheduledExecutorService clock = Threads.clock("howdah-test-clock", 1);
        try {
            clock.scheduleWithFixedDelay(
                    () -> {
                        times.countDown();
                        throw new StackOverflowError();
                    },
                    0,
                    1,
                    TimeUnit.MILLISECONDS);
            assertThat(times.await(LIMIT, TimeUnit.SECONDS)).isTrue();
        } finally {
            clock.shutdownNow();
        }
        assertThat(heard).hasSizeGreaterThanOrEqualTo(2);
    }

    @Test
    void errorOfAThreadIsHeard() throws Exception {
        for (Thread each : List.of(
                Threads.daemon("howdah-test", ThreadsTest::fail),
                Threads.apart("howdah-test", ThreadsTest::fail),
                Threads.platform("howdah-test").newThread(ThreadsTest::fail))) {
            each.start();
            each.join(TimeUnit.SECONDS.toMillis(LIMIT));
        }
        try (AutoClosing threads = new AutoClosing()) {
            threads.executor.execute(ThreadsTest::fail);
        }

        // A pool counts a thread as ended before its error is handed over.
        await().until(() -> heard.size() == 4);
    }

    /** An executor that is waited for. */
    private static final class AutoClosing implements AutoCloseable {
        private final java.util.concurrent.ExecutorService executor = Threads.perTask("howdah-test");

        @Override
        public void close() throws InterruptedException {
            executor.shutdown();
            assertThat(executor.awaitTermination(LIMIT, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static void fail() {
        throw new OutOfMemoryError("a test");
    }

    @Test
    void workInTheBackgroundThatFailsIsThrownInTheThreadOfItsOwner() {
        Mailbox mailbox = new Mailbox();
        try (Background background = new Background("howdah-test", mailbox)) {
            background.run(
                    () -> {
                        throw new NoClassDefFoundError("Gone");
                    },
                    result -> {});

            assertThatThrownBy(() -> mailbox.await(Duration.ofSeconds(LIMIT)))
                    .isInstanceOf(NoClassDefFoundError.class)
                    .hasMessage("Gone");
        }
    }

    @Test
    void nothingElseMakesThreads() throws IOException {
        List<String> others = new ArrayList<>();
        for (Path file : SourceTree.mainSources()) {
            // Modules that do not see this package make one thread each, which ends by itself.
            if (file.startsWith(SourceTree.ROOT.resolve("embedded"))
                    || file.startsWith(SourceTree.ROOT.resolve("integrations/spring"))) continue;
            String text = Files.readString(file);
            boolean own = file.endsWith(Path.of("run", "Threads.java"));
            // A hook of the JVM is never started by us; the process of a driver knows no class but those of
            // Java.
            String rest = text.replaceAll("new Thread\\(\\(\\) -> signals\\.lastMoments", "");
            if (!own
                    && !file.toString().contains("/reach/internal/driver/")
                    && rest.matches("(?s).*(new Thread\\(|newS?[a-zA-Z]*(Executor|ThreadPool)\\(\\)|"
                            + "new ScheduledThreadPoolExecutor\\(|newSingleThreadScheduledExecutor).*"))
                others.add(SourceTree.ROOT.relativize(file).toString());
        }
        assertThat(others).isEmpty();
    }
}
