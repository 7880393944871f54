package dev.howdah.reach.internal.call;

import dev.howdah.spi.reach.Cancellation;
import dev.howdah.spi.reach.ReachTask;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One run of a task, after it was checked where it may go.
 *
 * @param credential null where the row names none
 * @param signer signs it; null where the row names none
 * @param privately whether the target may have a private address
 * @param time for the whole run, which {@code cancellation} ends; longer than any wait of a scheme has to be
 * @param cancellation of the row or of the time
 */
public record Call(
        ReachTask task,
        Target target,
        @Nullable Credential credential,
        @Nullable Credential signer,
        boolean privately,
        Duration time,
        Cancellation cancellation) {
    /** One that is not signed. */
    public Call(
            ReachTask task,
            Target target,
            @Nullable Credential credential,
            boolean privately,
            Duration time,
            Cancellation cancellation) {
        this(task, target, credential, null, privately, time, cancellation);
    }

    /** What the other side has sent, without the secrets that it knows. */
    public byte[] withoutSecret(byte[] bytes) {
        byte[] without = credential == null ? bytes : credential.without(bytes);
        return signer == null ? without : signer.without(without);
    }
}
