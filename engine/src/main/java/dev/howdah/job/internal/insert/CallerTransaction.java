package dev.howdah.job.internal.insert;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.job.JobsException;
import dev.howdah.spi.TransactionBridge;
import java.sql.Connection;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The transaction of the calling thread, which a framework has begun. Safe for use by many threads.
 *
 * @param bridge to the framework; null: there is none, and no thread is in a transaction
 */
public record CallerTransaction(@Nullable TransactionBridge bridge) {
    /** Returns whether the calling thread is in one. */
    public boolean isActive() {
        return bridge != null && bridge.isActive();
    }

    /** Calls {@code work} with its connection. */
    public <T> T join(Function<Connection, T> work) {
        if (bridge == null) throw new IllegalStateException("no transaction");
        try {
            return bridge.join(work::apply);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new JobsException("the transaction of the caller cannot be joined: " + ErrorText.message(e), e);
        }
    }
}
