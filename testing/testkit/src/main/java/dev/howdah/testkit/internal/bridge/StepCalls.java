package dev.howdah.testkit.internal.bridge;

import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.spi.TransactionBridge;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;

/** Calls of a handler, in the situation. */
public final class StepCalls {
    private static final Kind<String> STEPS =
            Kind.of("bridge-steps", String.class).queue("bridge-steps");
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final DataSource pool;
    private final DataSource direct;
    private final TransactionBridge bridge;

    public StepCalls(DataSource pool, DataSource direct, TransactionBridge bridge) {
        this.pool = pool;
        this.direct = direct;
        this.bridge = bridge;
    }

    /**
     * Runs jobs whose steps are called in the situation.
     *
     * @param times more than the pool has connections, so that one that is lost is noticed
     * @param wrong gets what went wrong
     */
    public void check(AnySituation situation, int times, List<String> wrong) throws InterruptedException {
        try (Jobs jobs = Jobs.on(pool)
                .sessionDataSource(direct)
                .transactions(bridge)
                .queues("bridge-steps")
                .handle(
                        STEPS,
                        (payload, job) -> situation.around(() -> {
                            try {
                                job.progress(1, "works");
                                job.log("works");
                                job.step("charge", String.class, () -> "paid");
                                job.stepInTransaction("book", String.class, connection -> {
                                    try (Statement statement = connection.createStatement()) {
                                        statement.execute("SELECT 1");
                                    }
                                    return "booked";
                                });
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        }),
                        options -> options.retries(dev.howdah.spi.RetryPolicy.never()))
                .start()) {
            for (int i = 0; i < times; i++) {
                JobSummary end = jobs.await(jobs.add(STEPS, "x"), LIMIT);
                if (end.state() != JobState.DONE) {
                    wrong.add("steps of a handler: " + end);
                    return;
                }
            }
        } catch (TimeoutException e) {
            wrong.add("steps of a handler: " + e);
        }
    }
}
