package dev.howdah.process.internal.worker;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.process.internal.step.Step;

/**
 * The thread of one writer: takes the steps that have ended and the requests that wait, each time as many as there are, and writes them. While
 * the database cannot be reached the writer waits with the steps that it has.
 */
public final class BatchWriter implements Runnable {
    private static final long WAIT_MILLIS = 1_000;

    private final StepRunner stepRunner;
    private final WriterSession session;
    private final WriteRetry<Step> steps;
    private final RequestWriter requests;

    public BatchWriter(ConnectionSource source, StepRunner stepRunner) {
        this.stepRunner = stepRunner;
        this.session = new WriterSession(source);
        this.steps = new WriteRetry<>(new StepWriter(session, stepRunner));
        this.requests = new RequestWriter(session, stepRunner);
    }

    @Override
    public void run() {
        try (session) {
            while (!stepRunner.isOver()) {
                WriteQueue.Batch batch = stepRunner.inbox().take(WAIT_MILLIS);
                if (!batch.ended().isEmpty()) steps.write(batch.ended());
                if (!batch.entries().isEmpty()) requests.write(batch.entries());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
