package dev.howdah.task.internal.session;

import dev.howdah.internal.wire.WireException;
import dev.howdah.task.internal.owner.SessionRefusedException;
import dev.howdah.task.internal.owner.SessionVersions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pause before a session is opened, after some could not be opened: for any owner, where the server takes no
 * more; for one owner, where only its login is in trouble. Belongs to the scheduler's thread.
 */
final class ConnectBackoff {
    private static final Logger log = LoggerFactory.getLogger(ConnectBackoff.class);
    private static final Duration RETRY = Duration.ofSeconds(1);

    /** How long tasks of an owner fail without another try after there could be no session for them. */
    private static final Duration REFUSAL = Duration.ofMillis(250);

    /**
     * Why there can be no session for tasks of an owner, and until when that is taken for granted.
     *
     * @param version as {@link SessionVersions} knew it then; with another one the reason may be gone
     */
    private record Refusal(String error, String version, long until) {}

    /** Until when nothing is opened: for each owner, and for all of them under null. */
    private final Map<@Nullable String, Long> closedUntil = new HashMap<>();

    private final Map<String, Refusal> refusals = new HashMap<>();
    private boolean told;
    private @Nullable String loginRefusal;

    boolean mayOpen(@Nullable String owner) {
        forgetPast();
        return !closedUntil.containsKey(null) && !closedUntil.containsKey(owner);
    }

    private void forgetPast() {
        if (closedUntil.isEmpty()) return;
        long now = System.nanoTime();
        closedUntil.values().removeIf(until -> now - until >= 0);
    }

    /**
     * The error of a task of that owner, for whom there can be no session; null where nothing is known of that.
     *
     * @param current whether the owner's version is still that one
     */
    @Nullable
    String refusal(@Nullable String owner, Predicate<String> current) {
        Refusal refusal = owner == null || refusals.isEmpty() ? null : refusals.get(owner);
        if (refusal == null) return null;
        if (System.nanoTime() - refusal.until() < 0 && current.test(refusal.version())) return refusal.error();
        refusals.remove(owner);
        return null;
    }

    void opened() {
        told = false;
        loginRefusal = null;
    }

    /** Why the server does not let the scheduler's own role in, since the last session was opened; null: it does, as far as is known. */
    @Nullable
    String loginRefusal() {
        return loginRefusal;
    }

    /** Returns whether nothing has been opened since a session could not be. */
    boolean isRefused() {
        return told;
    }

    /**
     * A session could not be opened. Tasks wait for the next try, but for those that can have none.
     *
     * @param version of the owner when it was tried
     */
    void failed(@Nullable String owner, String version, Exception e) {
        if (e instanceof SessionRefusedException refused && owner != null) {
            refusals.put(owner, new Refusal(refused.error(), version, System.nanoTime() + REFUSAL.toNanos()));
            return;
        }
        // Another session holds the login, or has just changed it: that concerns its owner only.
        boolean ownerOnly = owner != null
                && e instanceof SQLException sql
                && String.valueOf(sql.getSQLState()).matches("(40|55|57014|XX).*");
        closedUntil.put(ownerOnly ? owner : null, System.nanoTime() + RETRY.toNanos());
        if (!told) log.warn("no further session for tasks: {}; trying again every second", e.getMessage());
        told = true;
        // A server that is full has let the role in before, and will again.
        String state =
                e instanceof WireException wire ? wire.sqlState() : String.valueOf(((SQLException) e).getSQLState());
        if (!ownerOnly && !state.startsWith("53")) loginRefusal = String.valueOf(e.getMessage());
    }

    /** When the next can be opened that could not; null if there is nothing to wait for. */
    @Nullable
    Duration nextTry() {
        forgetPast();
        long now = System.nanoTime();
        return closedUntil.values().stream()
                .map(until -> Duration.ofNanos(Math.max(until - now, 0)))
                .min(Comparator.naturalOrder())
                .orElse(null);
    }
}
