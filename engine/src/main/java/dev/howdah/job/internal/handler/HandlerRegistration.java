package dev.howdah.job.internal.handler;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.job.Job;
import dev.howdah.job.Kind;
import dev.howdah.job.Outcome;
import dev.howdah.job.TransactionalOutcomeHandler;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The handler of one kind of job, with its options.
 *
 * @param timeout how long an attempt may run; zero: as long as it likes
 * @param resume how it goes on with jobs that earlier runs have worked on
 * @param transactional whether it wants the job's own transaction
 * @param shared how many jobs may share one transaction
 * @param source where the sessions of these transactions come from; null: where all others do
 */
public record HandlerRegistration<T>(
        Kind<T> kind,
        Body<T> body,
        RetryPolicy retries,
        Duration timeout,
        ResumeOptions resume,
        boolean transactional,
        int shared,
        @Nullable ConnectionSource source) {
    /** A handler of whatever form. */
    @FunctionalInterface
    public interface Body<T> {
        /** @param connection null unless it is transactional */
        Outcome run(T payload, Job job, @Nullable Connection connection) throws Exception;

        /** One that needs the job's own transaction. */
        static <T> Body<T> inTransaction(TransactionalOutcomeHandler<T> handler) {
            return (payload, job, connection) -> {
                if (connection == null) throw new IllegalStateException("no transaction");
                return handler.handle(payload, job, connection);
            };
        }
    }

    /** Decodes the payload and calls the handler. */
    public Outcome run(PayloadCodec codec, String payload, Job job, @Nullable Connection connection) throws Exception {
        T decoded = kind.type() == Void.class ? nothing() : decode(codec, payload);
        return body.run(decoded, job, connection);
    }

    private T decode(PayloadCodec codec, String payload) throws PayloadException {
        try {
            return kind.decode(codec, payload);
        } catch (IllegalArgumentException e) {
            throw new PayloadException(e);
        }
    }

    /** The payload of a kind that has none. */
    @SuppressWarnings("NullAway")
    private static <T> T nothing() {
        return null;
    }
}
