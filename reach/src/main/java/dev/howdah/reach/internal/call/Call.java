package dev.howdah.reach.internal.call;

import dev.howdah.spi.reach.Cancellation;
import dev.howdah.spi.reach.ReachTask;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One run of a task, after it was checked where it may go.
 *
 * @param credential null where the row names none
 * @param privately whether the target may have a private address
 * @param time for the whole run, which {@code cancellation} ends; longer than any wait of a scheme has to be
 * @param cancellation of the row or of the time
 */
public record Call(
        ReachTask task,
        Target target,
        @Nullable Credential credential,
        boolean privately,
        Duration time,
        Cancellation cancellation) {
    /** What the other side has sent, without the secret that it was told. */
    public byte[] withoutSecret(byte[] bytes) {
        return credential == null ? bytes : credential.without(bytes);
    }
}
