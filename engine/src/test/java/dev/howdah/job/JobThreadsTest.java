package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** The threads that run handlers. */
@PostgresTest
class JobThreadsTest {
    private static final Kind<String> TEXT = Kind.of("text", String.class);

    private final JobsDatabase database;
    private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();

    JobThreadsTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private void runOne(JobsBuilder builder) {
        try (Jobs jobs = builder.handle(TEXT, (payload, job) -> threads.add(Thread.currentThread()))
                .start()) {
            jobs.add(TEXT, "x");
            JobsDatabase.awaiting("it runs").until(() -> threads.size() == 1);
        }
    }

    /** {@code Thread.isVirtual} exists from JDK 21 on. */
    private static boolean isVirtual(Thread thread) throws ReflectiveOperationException {
        return Runtime.version().feature() >= 21
                && (boolean) Thread.class.getMethod("isVirtual").invoke(thread);
    }

    @Test
    void handler_byDefault_runsInAPlatformThreadNamedAfterItsQueue() throws ReflectiveOperationException {
        runOne(database.jobs());
        Thread thread = threads.remove();
        assertThat(isVirtual(thread)).isFalse();
        assertThat(thread.getName()).startsWith("howdah-job-default");
    }

    @Test
    void handler_inVirtualThreads_runsThereIfTheJdkHasThem() throws ReflectiveOperationException {
        assumeTrue(Runtime.version().feature() >= 21, "virtual threads need JDK 21");
        runOne(database.jobs().virtualThreads());
        Thread thread = threads.remove();
        assertThat(isVirtual(thread)).isTrue();
        assertThat(thread.getName()).startsWith("howdah-job-default");
    }
}
