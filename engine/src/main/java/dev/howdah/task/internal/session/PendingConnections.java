package dev.howdah.task.internal.session;

import dev.howdah.internal.run.Background;
import dev.howdah.internal.wire.WireException;
import dev.howdah.task.internal.model.WaitingTask;
import dev.howdah.task.internal.owner.SessionRefusedException;
import dev.howdah.task.internal.owner.SessionVersions;
import dev.howdah.task.internal.quota.SessionQuota;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that are wanted in this round, by owner of tasks, and those on their way. Belongs to the scheduler's thread;
 * sessions are opened in the background and arrive by its mailbox.
 */
final class PendingConnections {
    private final SessionFactory opener;
    private final SessionQuota.Share share;
    private final Background background;
    private final SessionVersions versions;
    private final ToIntFunction<@Nullable String> busy;
    private final Consumer<TaskSession> arrived;
    private final ConnectBackoff gate = new ConnectBackoff();

    /** How many are wanted, were wanted a moment ago, and are on their way, for each owner; null is the scheduler's role. */
    private Map<@Nullable String, Integer> wanted = new HashMap<>();

    private Map<@Nullable String, Integer> wantedBefore = new HashMap<>();
    private final Map<@Nullable String, Integer> coming = new HashMap<>();

    /**
     * @param busy how many sessions of an owner run tasks
     * @param arrived takes the sessions
     */
    PendingConnections(
            SessionFactory opener,
            SessionQuota.Share share,
            Background background,
            SessionVersions versions,
            ToIntFunction<@Nullable String> busy,
            Consumer<TaskSession> arrived) {
        this.busy = busy;
        this.versions = versions;
        this.opener = opener;
        this.share = share;
        this.background = background;
        this.arrived = arrived;
    }

    /**
     * Tasks could start if there were sessions for them.
     *
     * @param startable gives those tasks, so many at most
     */
    void want(IntFunction<List<WaitingTask>> startable) {
        for (WaitingTask candidate : startable.apply(share.most())) wanted.merge(candidate.owner(), 1, Integer::sum);
    }

    /**
     * Opens what is {@linkplain #want wanted} since the last call.
     *
     * @param crowded called where there is no place for one more, with what says whether a session is of use
     */
    void openWanted(Consumer<Predicate<TaskSession>> crowded) {
        if (wanted.isEmpty()) share.enough();
        // The owner that has fewest is first, and of those the one that wants fewest.
        if (wanted.size() > 1)
            wanted.entrySet().stream()
                    .sorted(Comparator.comparingInt((Map.Entry<@Nullable String, Integer> each) -> has(each.getKey()))
                            .thenComparing(Map.Entry::getValue))
                    .forEach(each -> openMissing(each.getKey(), each.getValue(), crowded));
        else wanted.forEach((owner, count) -> openMissing(owner, count, crowded));
        wantedBefore = wanted;
        wanted = new HashMap<>();
    }

    private void openMissing(@Nullable String owner, int count, Consumer<Predicate<TaskSession>> crowded) {
        if (!gate.mayOpen(owner) || versions.of(owner) == null) return;
        for (int missing = Math.min(count, share.most()) - coming.getOrDefault(owner, 0); missing > 0; missing--) {
            SessionQuota.Place place = share.take();
            if (place == null) {
                crowded.accept(session -> wanted.keySet().stream().anyMatch(session::isOf));
                return;
            }
            open(owner, place);
        }
    }

    private int has(@Nullable String owner) {
        return busy.applyAsInt(owner) + coming.getOrDefault(owner, 0);
    }

    /** Uses a place that has just come for the owner that has fewest, and of those the one for which most are wanted. */
    void granted(SessionQuota.Place place) {
        open(neediest(), place);
    }

    private @Nullable String neediest() {
        String owner = null;
        int most = 0;
        int fewest = Integer.MAX_VALUE;
        for (Map.Entry<@Nullable String, Integer> each : wantedBefore.entrySet()) {
            int missing = each.getValue() - coming.getOrDefault(each.getKey(), 0);
            if (missing <= 0 || versions.of(each.getKey()) == null) continue;
            int has = has(each.getKey());
            if (has > fewest || has == fewest && missing <= most) continue;
            owner = each.getKey();
            most = missing;
            fewest = has;
        }
        return owner;
    }

    /** A session, or why there is none: now, or until a role, a privilege or the configuration changes. */
    private record Opening(
            @Nullable String owner,
            String version,
            @Nullable TaskSession session,
            @Nullable Exception failure) {}

    /** Opens one, whether or not it is wanted. */
    void open(@Nullable String owner, SessionQuota.Place place) {
        String version = versions.of(owner);
        if (version == null) { // known after the next look: then it is asked for again
            place.close();
            return;
        }
        coming.merge(owner, 1, Integer::sum);
        background.run(() -> tryToOpen(owner, place, version), this::opened);
    }

    private Opening tryToOpen(@Nullable String owner, SessionQuota.Place place, String version) {
        try {
            return new Opening(owner, version, opener.local(owner, place, version), null);
        } catch (WireException | SQLException | SessionRefusedException e) {
            return new Opening(owner, version, null, e);
        }
    }

    private void opened(Opening result) {
        coming.computeIfPresent(result.owner(), (owner, count) -> count > 1 ? count - 1 : null);
        if (result.session() != null) {
            gate.opened();
            arrived.accept(result.session());
        } else if (result.failure() != null) {
            gate.failed(result.owner(), result.version(), result.failure());
        }
    }

    /** How many are on their way. */
    int coming() {
        int all = 0;
        for (int each : coming.values()) all += each;
        return all;
    }

    /** Returns whether it makes sense to open one for that owner now. */
    boolean mayOpen(@Nullable String owner) {
        return gate.mayOpen(owner);
    }

    /** As {@link ConnectBackoff#loginRefusal}. */
    @Nullable
    String loginRefusal() {
        return gate.loginRefusal();
    }

    /** Returns whether the last session that was to be opened, of any owner, could not be. */
    boolean isRefused() {
        return gate.isRefused();
    }

    /** The error of a task of that owner, for whom there can be no session; null where nothing is known of that. */
    @Nullable
    String refusal(@Nullable String owner) {
        return gate.refusal(owner, version -> versions.isCurrent(owner, version));
    }

    /** When a session can be opened again after one could not; null if now. */
    @Nullable
    Duration nextTry() {
        return gate.nextTry();
    }
}
