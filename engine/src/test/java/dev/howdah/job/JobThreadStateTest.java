package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a handler changes in its thread does not reach the next job. */
@PostgresTest
class JobThreadStateTest {
    private static final Kind<Boolean> WORK = Kind.of("work", Boolean.class);

    private static final Kind<Boolean> OWN = Kind.of("own", Boolean.class);

    private final JobsDatabase database;

    JobThreadStateTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @Test
    void nameLoaderAndPriority_changedByAHandler_areThoseOfBefore() {
        List<List<Object>> seen = new ArrayList<>();
        try (ManualJobs manual = database.jobs()
                .handle(WORK, (fails, job) -> {
                    Thread thread = Thread.currentThread();
                    seen.add(List.of(thread.getName(), thread.getPriority(), thread.getContextClassLoader()));
                    thread.setName("other");
                    thread.setPriority(Thread.MIN_PRIORITY);
                    thread.setContextClassLoader(new URLClassLoader(new URL[0]));
                    if (fails) throw new IllegalStateException("it fails as well");
                })
                .handleInTransaction(OWN, (no, job, connection) -> {
                    Thread.currentThread().setName("own");
                })
                .manual()) {
            manual.jobs().add(WORK, true);
            manual.runDue();
            manual.jobs().add(OWN, true);
            manual.runDue();
            manual.jobs().add(WORK, false);
            manual.runDue();
        }
        assertThat(seen).hasSizeGreaterThan(1).containsOnly(seen.get(0));
    }
}
