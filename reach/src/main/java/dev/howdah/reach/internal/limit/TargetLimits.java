package dev.howdah.reach.internal.limit;

import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.Target;
import dev.howdah.reach.internal.http.RequestTarget;
import dev.howdah.spi.reach.ReachPermit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts the tasks at each target that has limits. A caller that gets no permit is told when there may be one: when a task has ended, or
 * when the time has passed in which too many have begun. Safe for use by many threads.
 */
public final class TargetLimits {
    /** Counters that count nothing any more are looked for when there are so many. */
    private static final int MANY = 1_000;

    /** A rule is counted for each host that it has. */
    private record Key(String rule, String scheme, String host, int port) {
        static Key of(TargetRules.Rule rule, Target target) {
            return new Key(rule.name(), target.scheme(), target.host(), target.port());
        }
    }

    private static final class Counter {
        private int running;

        /** When the last ones began, as many as the window has, the first of them first. */
        private final Map<TargetRules.Window, Deque<Long>> begun = new HashMap<>();

        private final Set<Runnable> waiting = new LinkedHashSet<>();
        private boolean timed;

        /** For how long nothing may begin; 0: one may now; {@code Long.MAX_VALUE}: until one has ended. */
        long nanosToRoom(TargetRules.Rule rule, long now) {
            if (running >= rule.concurrency()) return Long.MAX_VALUE;
            long longest = 0;
            for (TargetRules.Window window : rule.windows()) {
                Deque<Long> last = begun.get(window);
                if (last == null || last.size() < window.most()) continue;
                longest = Math.max(longest, last.getFirst() + window.time().toNanos() - now);
            }
            return longest;
        }

        void begins(TargetRules.Rule rule, long now) {
            running++;
            for (TargetRules.Window window : rule.windows()) {
                Deque<Long> last = begun.computeIfAbsent(window, each -> new ArrayDeque<>());
                if (last.size() >= window.most()) last.removeFirst();
                last.addLast(now);
            }
        }

        boolean isIdle(long now) {
            return running == 0
                    && waiting.isEmpty()
                    && begun.entrySet().stream()
                            .allMatch(each -> now - each.getValue().getLast()
                                    > each.getKey().time().toNanos());
        }
    }

    private final Supplier<TargetRules> rules;
    private final ScheduledExecutorService clock;
    private final Map<Key, Counter> counters = new HashMap<>();

    /**
     * @param rules those that hold now
     * @param clock wakes callers; its thread is not kept
     */
    public TargetLimits(Supplier<TargetRules> rules, ScheduledExecutorService clock) {
        this.rules = rules;
        this.clock = clock;
    }

    /** As {@link dev.howdah.spi.reach.Reach#permit}. */
    public @Nullable ReachPermit permit(String remote, @Nullable String firstLine, Runnable room) {
        Target target = target(remote, firstLine);
        if (target == null) return ReachPermit.FREE;
        List<TargetRules.Rule> found = rules.get().of(target);
        if (found.isEmpty()) return ReachPermit.FREE;
        synchronized (this) {
            long now = System.nanoTime();
            List<Counter> counted = new ArrayList<>();
            for (TargetRules.Rule rule : found) {
                Counter counter = counters.computeIfAbsent(Key.of(rule, target), key -> new Counter());
                long nanos = counter.nanosToRoom(rule, now);
                if (nanos > 0) {
                    await(counter, nanos, room);
                    return null;
                }
                counted.add(counter);
            }
            for (int i = 0; i < counted.size(); i++) counted.get(i).begins(found.get(i), now);
            if (counters.size() > MANY) counters.values().removeIf(each -> !counted.contains(each) && each.isIdle(now));
            return permit(counted);
        }
    }

    /** Null where nothing has limits, and where remote or path are not understood: such a task fails without going anywhere. */
    private @Nullable Target target(String remote, @Nullable String firstLine) {
        if (rules.get().isEmpty()) return null;
        try {
            return RequestTarget.of(Target.of(remote), firstLine == null ? "" : firstLine);
        } catch (ReachFailure e) {
            return null;
        }
    }

    private void await(Counter counter, long nanos, Runnable room) {
        counter.waiting.add(room);
        if (nanos == Long.MAX_VALUE || counter.timed) return;
        try {
            counter.timed = true;
            clock.schedule(
                    () -> {
                        synchronized (this) {
                            counter.timed = false;
                        }
                        wake(List.of(counter));
                    },
                    nanos,
                    TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // Closed: nothing begins any more.
        }
    }

    private ReachPermit permit(List<Counter> counted) {
        AtomicBoolean open = new AtomicBoolean(true);
        return () -> {
            if (!open.compareAndSet(true, false)) return;
            synchronized (this) {
                counted.forEach(each -> each.running--);
            }
            wake(counted);
        };
    }

    private void wake(List<Counter> some) {
        Set<Runnable> all = new LinkedHashSet<>();
        synchronized (this) {
            for (Counter each : some) {
                all.addAll(each.waiting);
                each.waiting.clear();
            }
        }
        all.forEach(Runnable::run);
    }

    /** Other rules hold now: callers that wait ask again. */
    public void changed() {
        List<Counter> all;
        synchronized (this) {
            all = List.copyOf(counters.values());
        }
        wake(all);
    }

    /** As {@link dev.howdah.spi.reach.Reach#hasRoom}. */
    public boolean hasRoom(String remote, @Nullable String firstLine) {
        Target target = target(remote, firstLine);
        if (target == null) return true;
        List<TargetRules.Rule> found = rules.get().of(target);
        synchronized (this) {
            long now = System.nanoTime();
            for (TargetRules.Rule rule : found) {
                Counter counter = counters.get(Key.of(rule, target));
                if (counter != null && counter.nanosToRoom(rule, now) > 0) return false;
            }
            return true;
        }
    }
}
