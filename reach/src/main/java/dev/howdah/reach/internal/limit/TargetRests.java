package dev.howdah.reach.internal.limit;

import dev.howdah.reach.internal.call.AnswerText;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.Target;
import dev.howdah.spi.Metrics;
import dev.howdah.spi.reach.ReachPermit;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets tasks wait for a host that could not serve the last ones: none begins for a time, then one tries. Each owner and credential is
 * counted by itself, so that no owner holds up the tasks of another. Safe for use by many threads.
 */
public final class TargetRests {
    private static final Logger log = LoggerFactory.getLogger(TargetRests.class);

    /** So many runs in a row that failed so begin a rest. */
    private static final int FAILURES = 5;

    private static final Duration FIRST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofSeconds(60);
    private static final Duration LONGEST_ASKED = Duration.ofHours(1);

    /** The oldest ones are forgotten beyond that. */
    private static final int MOST = 10_000;

    /** @param credential the name that the row gives; null for none */
    private record Key(
            String owner,
            String scheme,
            String host,
            int port,
            @Nullable String credential) {
        static Key of(String owner, Target target) {
            return new Key(owner, target.scheme(), target.host(), target.port(), target.option("as"));
        }
    }

    private static final class State {
        private int failures;

        /** The length of the last rest; 0 as long as there was none. */
        private long restNanos;

        private long until;
        private long begun;

        /** The right of the one task that tries after a rest; null where none does. */
        private @Nullable Object trying;

        private long tryingSince;

        private final Set<Runnable> waiting = new LinkedHashSet<>();

        boolean hasRested() {
            return restNanos > 0;
        }

        boolean isClosed(long now) {
            return hasRested() && (now - until < 0 || trying != null && now - tryingSince < LONGEST.toNanos());
        }
    }

    private final ScheduledExecutorService clock;
    private final BiPredicate<String, Target> rests;
    private final Map<Key, State> states = new LinkedHashMap<>();
    private volatile boolean some;
    private volatile Metrics.Gauge resting = value -> {};

    /**
     * @param clock wakes callers; its thread is not kept
     * @param rests whether tasks of an owner at a target rest at all
     */
    public TargetRests(ScheduledExecutorService clock, BiPredicate<String, Target> rests) {
        this.clock = clock;
        this.rests = rests;
    }

    /** Sets where the number of hosts goes whose tasks rest. */
    public void gauge(Metrics.Gauge to) {
        resting = to;
        count();
    }

    /** As {@link dev.howdah.spi.reach.Reach#permit}. */
    public @Nullable ReachPermit permit(String remote, String owner, Runnable room) {
        Key key = key(remote, owner);
        if (key == null) return ReachPermit.FREE;
        synchronized (this) {
            State state = states.get(key);
            if (state == null || !state.hasRested()) return ReachPermit.FREE;
            if (state.isClosed(System.nanoTime())) {
                state.waiting.add(room);
                return null;
            }
            Object right = new Object();
            state.trying = right;
            state.tryingSince = System.nanoTime();
            // One that takes long must not hold up all others.
            wakeAfter(state, LONGEST);
            return () -> tried(state, right);
        }
    }

    /** As {@link dev.howdah.spi.reach.Reach#hasRoom}. */
    public boolean hasRoom(String remote, String owner) {
        Key key = key(remote, owner);
        if (key == null) return true;
        synchronized (this) {
            State state = states.get(key);
            return state == null || !state.isClosed(System.nanoTime());
        }
    }

    /** Null where nothing rests, and where remote is not understood: such a task fails without going anywhere. */
    private @Nullable Key key(String remote, String owner) {
        if (!some) return null;
        try {
            return Key.of(owner, Target.of(remote));
        } catch (ReachFailure e) {
            return null;
        }
    }

    private void tried(State state, Object right) {
        synchronized (this) {
            if (state.trying != right) return;
            state.trying = null;
        }
        wake(state);
    }

    /** The host has done something with a task. */
    public void answered(String owner, Target target) {
        if (!some) return;
        State ended;
        synchronized (this) {
            ended = states.remove(Key.of(owner, target));
            some = !states.isEmpty();
        }
        if (ended == null) return;
        if (ended.hasRested()) log.info("tasks of {} at {} go on", AnswerText.shown(owner), place(target));
        wake(ended);
        count();
    }

    /**
     * The host could not serve a task.
     *
     * @param begun when that task did, by {@link System#nanoTime}
     * @param why in a few words
     * @param asked how long the host has asked to wait; zero where it has not
     */
    public void unavailable(String owner, Target target, long begun, String why, Duration asked) {
        if (!rests.test(owner, target)) return;
        Duration wish = asked.compareTo(LONGEST_ASKED) > 0 ? LONGEST_ASKED : asked;
        Duration wait;
        State state;
        synchronized (this) {
            long now = System.nanoTime();
            state = states.computeIfAbsent(Key.of(owner, target), key -> new State());
            some = true;
            forgetOldest();
            // It has begun before that: the rest is not over, and not known to be too short.
            if (state.hasRested() && begun - state.begun < 0) return;
            if (++state.failures < FAILURES && !state.hasRested()) return;
            state.restNanos = state.hasRested() ? Math.min(2 * state.restNanos, LONGEST.toNanos()) : FIRST.toNanos();
            wait = Duration.ofNanos(Math.max(state.restNanos, wish.toNanos()));
            state.begun = now;
            state.until = now + wait.toNanos();
        }
        log.warn(
                "tasks of {} at {} rest for {} s after {} in a row that could not be served: {}",
                AnswerText.shown(owner),
                place(target),
                wait.toSeconds(),
                state.failures,
                why);
        count();
        wakeAfter(state, wait);
    }

    private void wakeAfter(State state, Duration wait) {
        try {
            clock.schedule(
                    () -> {
                        wake(state);
                        count();
                    },
                    wait.toNanos(),
                    TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // Closed: nothing begins any more.
        }
    }

    private void forgetOldest() {
        while (states.size() > MOST) states.remove(states.keySet().iterator().next());
    }

    private static String place(Target target) {
        return target.at("").toString();
    }

    private void wake(State state) {
        Set<Runnable> all;
        synchronized (this) {
            all = new LinkedHashSet<>(state.waiting);
            state.waiting.clear();
        }
        all.forEach(Runnable::run);
    }

    private void count() {
        long count;
        synchronized (this) {
            long now = System.nanoTime();
            count = states.values().stream()
                    .filter(each -> each.hasRested() && now - each.until < 0)
                    .count();
        }
        resting.set(count);
    }

    /** Other settings hold now, or something was mended: all go on. */
    public void changed() {
        Map<Key, State> all;
        synchronized (this) {
            all = new HashMap<>(states);
            states.clear();
            some = false;
        }
        all.values().forEach(this::wake);
        count();
    }
}
