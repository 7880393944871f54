package dev.howdah.process.notice;

import dev.howdah.process.Notices;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a publisher to report the result of single notices. Notices that are not named have failed: they are
 * published again after a while, and later ones of their processes after them. Not safe for use by many threads.
 */
public final class DeliveryException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient Set<Long> arrived = new HashSet<>();
    private final transient Set<Long> untried = new HashSet<>();
    private final transient Map<Long, String> refused = new HashMap<>();
    private Duration retryAfter = Duration.ZERO;

    public DeliveryException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** Reports notices that have been published all the same. */
    public DeliveryException arrived(Collection<Notice> notices) {
        for (Notice each : notices) arrived.add(each.id());
        return this;
    }

    /** Reports notices that have not been tried: they are published again at once. */
    public DeliveryException untried(Collection<Notice> notices) {
        for (Notice each : notices) untried.add(each.id());
        return this;
    }

    /**
     * Reports a notice that the receiver will never accept. It is kept, with all later ones of its process, until an
     * operator calls {@link Notices#tellAgain} or {@link Notices#skip}.
     *
     * @param reason for the operator
     */
    public DeliveryException refused(Notice notice, String reason) {
        refused.put(notice.id(), reason);
        return this;
    }

    /** Sets the shortest delay before failed notices are published again. Defaults to 0: a second, then longer. */
    public DeliveryException retryAfter(Duration time) {
        if (time.compareTo(retryAfter) > 0) retryAfter = time;
        return this;
    }

    /** Returns true if {@link #arrived} has named the notice. */
    public boolean hasArrived(Notice notice) {
        return arrived.contains(notice.id());
    }

    /** Returns true if {@link #untried} has named the notice. */
    public boolean isUntried(Notice notice) {
        return untried.contains(notice.id());
    }

    /** The reason that {@link #refused} has given for the notice; null without one. */
    public @Nullable String refusal(Notice notice) {
        return refused.get(notice.id());
    }

    /** The time to wait before the next attempt; zero by default. */
    public Duration retryAfter() {
        return retryAfter;
    }
}
