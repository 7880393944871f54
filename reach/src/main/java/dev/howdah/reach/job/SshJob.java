package dev.howdah.reach.job;

import dev.howdah.job.Kind;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A command of another host: the payload of jobs of the kind {@code howdah.ssh}. Immutable: each method that sets something returns a copy.
 *
 * @param host {@code ssh://switch@r17.net.example}
 * @param credential the name of one of the {@linkplain dev.howdah.reach.ReachSettings settings}
 * @param command one command for the shell of the host; with {@code device} the lines of a session
 * @param device {@code ios}, {@code junos}, {@code routeros} or {@code generic}, for what talks only in a shell; null for a command
 * @param timeout of an attempt; null: 30 s
 */
public record SshJob(
        String host,
        String credential,
        String command,
        @Nullable String device,
        @Nullable Duration timeout) {
    /** The kind. It is not tried again, as a command may have been carried out, unless the handler has another policy. */
    public static final Kind<SshJob> KIND = Kind.of("howdah.ssh", SshJob.class).retries(RetryPolicy.never());

    /** A command. */
    public static SshJob of(String host, String credential, String command) {
        return new SshJob(host, credential, command, null, null);
    }

    /** Lines for a device of that kind. */
    public SshJob device(String kind) {
        return new SshJob(host, credential, command, kind, timeout);
    }

    /** With that limit for an attempt. */
    public SshJob timeout(Duration time) {
        return new SshJob(host, credential, command, device, time);
    }
}
