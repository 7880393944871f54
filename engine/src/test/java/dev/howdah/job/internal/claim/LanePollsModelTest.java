package dev.howdah.job.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.howdah.internal.SeededModel;
import dev.howdah.job.internal.batch.BatchStore;
import dev.howdah.job.internal.batch.ScanBounds;
import dev.howdah.job.internal.lane.Lane;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Two claimers of a node and the lanes that they look at, by a clock of the test: jobs are added, some of them committed late,
 * lanes are rung for, looks find a full batch, few jobs or none, wait for a worker, for a rate, or fail. Each job is taken
 * within a bound, also by a node that sleeps, and a lane has two looks at once only when one of them, or one beside which it
 * began, began behind a full batch.
 */
class LanePollsModelTest implements SeededModel {
    private static final long MILLI = 1_000_000;
    private static final int FULL = 5;
    /** Naps of all lanes, with some looks that fail or wait. */
    private static final long BOUND = 1_500 * MILLI;
    /** The same, and until the look from the beginning, which may be left to another claimer. */
    private static final long LATE_BOUND = 5_000 * MILLI;

    @Override
    public void run(long seed) {
        new Model(seed).run();
    }

    /** @param late whether looks had passed the place of the job when it was committed */
    private record Job(long place, long since, boolean late) {}

    /**
     * A look that is under way, and what it is going to bring.
     *
     * @param shares whether it began when others might join, or beside such a look
     */
    private record Running(
            LanePolls.Look look,
            long end,
            boolean first,
            boolean shares,
            boolean fails,
            BatchStore.Claimed claimed,
            List<Job> jobs) {
        int lane() {
            return look.watch().lane().id();
        }
    }

    /** The node, as {@link LaneSleep} has it. */
    private enum NodeSleep {
        AWAKE,
        LAST_LOOKS,
        ASLEEP,
        /** A job that came alone is waited for. */
        SETTLING,
        /** What was rung for is looked at once more. */
        ONCE_MORE
    }

    private static final class Model {
        private final long seed;
        private final SplittableRandom random;
        private final ClaimerSignals signals = new ClaimerSignals();
        private final LanePolls polls = new LanePolls(signals, true, () -> this.now);
        private final List<Lane> lanes = new ArrayList<>();
        private final Map<Integer, List<Job>> waiting = new HashMap<>();
        private final Map<Integer, Boolean> plenty = new HashMap<>();
        private final Map<Integer, Long> pacedUntil = new HashMap<>();
        private final List<Running> running = new ArrayList<>();
        private NodeSleep node = NodeSleep.AWAKE;
        private long now = 1_000 * MILLI;
        private long restsUntil;
        private long settlesUntil;
        private int looksLeft;
        private int taken;
        private int sleeps;
        private int wholes;
        private int shared;
        private int singles;

        Model(long seed) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            int most = random.nextInt(1, 4);
            for (int id = 1; id <= most; id++) {
                lanes.add(new Lane(id, "queue" + id, null));
                waiting.put(id, new ArrayList<>());
            }
            polls.lanes(lanes);
        }

        void run() {
            for (int step = 0; step < 60_000; step++) {
                now += random.nextLong(MILLI);
                // Now many, now few: the node has to fall asleep in between.
                if (chance(step / 10_000 % 2 == 0 ? 10 : 1_000)) add();
                if (polls.isStarved() && chance(20)) polls.workerIsFree();
                end();
                if (isIdle(true)) first();
                if (isIdle(false) && chance(2)) second();
                check();
            }
            assertThat(taken).as("seed %d: jobs", seed).isGreaterThan(1_000);
            assertThat(sleeps).as("seed %d: sleeps", seed).isPositive();
            assertThat(wholes)
                    .as("seed %d: looks left to the other claimer", seed)
                    .isPositive();
            assertThat(singles).as("seed %d: looks for one job", seed).isPositive();
            assertThat(shared).as("seed %d: looks beside each other", seed).isPositive();
        }

        private boolean chance(int of) {
            return random.nextInt(of) == 0;
        }

        private boolean isIdle(boolean first) {
            return running.stream().noneMatch(each -> each.first() == first);
        }

        private List<Job> waiting(int lane) {
            return Objects.requireNonNull(waiting.get(lane));
        }

        /** Adds jobs in one transaction; while the bells are set it rings. */
        private void add() {
            int lane = lanes.get(random.nextInt(lanes.size())).id();
            boolean late = chance(10);
            for (int i = chance(10) ? 3 * FULL : random.nextInt(1, 4); i > 0; i--)
                waiting(lane).add(new Job(late ? now - 900 * MILLI : now, now, late));
            if (node == NodeSleep.AWAKE) return;
            if (chance(2)) polls.wake(lane);
            else polls.wakeAny(Set.of((long) lane));
        }

        private void begin(LanePolls.Look look, boolean first) {
            int lane = look.watch().lane().id();
            boolean full = plenty.getOrDefault(lane, false);
            boolean shares = full;
            for (Running each : running) {
                if (each.lane() != lane || each.look().whole() || look.whole()) continue;
                assertThat(full || each.shares())
                        .as("seed %d: two looks at lane %d", seed, lane)
                        .isTrue();
                // When one of two ends the lane counts as free, until the next look at it ends.
                shares = true;
                shared++;
            }
            if (look.whole()) wholes++;
            List<Job> found = new ArrayList<>();
            BatchStore.Claimed claimed;
            long paced = pacedUntil.getOrDefault(lane, 0L) - now;
            if (paced > 0 || chance(100)) {
                if (paced <= 0) pacedUntil.put(lane, now + (paced = random.nextLong(1, 100) * MILLI));
                claimed = claimed(FULL, Map.of(), 0, paced / MILLI + 1);
            } else if (chance(100)) {
                claimed = ConcurrencyLimits.WAITS_FOR_WORKER;
            } else {
                // A lane of which more is to be known than such a look asks has an ordinary one.
                int most = look.single() && chance(2) && !waiting(lane).isEmpty() ? 1 : FULL;
                if (most == 1) singles++;
                int asked = most == 1 && waiting(lane).size() == 1 ? 2 : most;
                ScanBounds.Low low = look.from().lows().get(0);
                long from = low == null ? 0 : low.id() - look.from().slackMillis() * MILLI;
                waiting(lane).stream()
                        .filter(job -> job.place() >= from)
                        .sorted(Comparator.comparingLong(Job::place))
                        .limit(most)
                        .forEach(found::add);
                waiting(lane).removeAll(found);
                Map<Integer, ScanBounds.Low> lows = found.isEmpty()
                        ? Map.of()
                        : Map.of(0, new ScanBounds.Low("", found.get(0).place()));
                claimed = claimed(asked, lows, found.size(), 0);
            }
            boolean fails = chance(100);
            long takes = look.from().lows().isEmpty() && chance(2) ? 15 * MILLI : 2 * MILLI;
            running.add(new Running(look, now + random.nextLong(takes), first, shares, fails, claimed, found));
        }

        private static BatchStore.Claimed claimed(int asked, Map<Integer, ScanBounds.Low> lows, int found, long paced) {
            return new BatchStore.Claimed(
                    List.of(), asked, found, lows, Set.of(), new BatchStore.LaneState(false, false, false, -1, paced));
        }

        /** Looks end that are over. */
        private void end() {
            for (Running each : List.copyOf(running)) {
                if (each.end() > now) continue;
                running.remove(each);
                if (each.fails()) {
                    waiting(each.lane()).addAll(each.jobs());
                    polls.notLooked(each.look());
                    if (each.first() && node != NodeSleep.AWAKE) wakeUp();
                    continue;
                }
                taken += each.jobs().size();
                polls.looked(each.look(), each.claimed());
                if (!each.look().whole() && each.claimed() != ConcurrencyLimits.WAITS_FOR_WORKER)
                    plenty.put(
                            each.lane(), each.claimed().jobs() >= each.claimed().asked());
                if (each.first()) ended(each.jobs().isEmpty());
            }
        }

        /** What a look of the first claimer means for the sleep. */
        private void ended(boolean empty) {
            switch (node) {
                case LAST_LOOKS, ONCE_MORE -> {
                    if (!empty) wakeUp();
                }
                case ASLEEP -> {
                    if (empty || chance(3) || !polls.doze()) wakeUp();
                    else {
                        node = NodeSleep.SETTLING;
                        settlesUntil = now + random.nextLong(10 * MILLI);
                    }
                }
                default -> {}
            }
        }

        private void wakeUp() {
            node = NodeSleep.AWAKE;
            restsUntil = now;
            polls.awake();
        }

        /** One thing that the first claimer does between two looks. */
        private void first() {
            switch (node) {
                case AWAKE -> awake();
                case LAST_LOOKS -> lookOr(this::fallAsleep);
                case ASLEEP -> {
                    if (!told()) return;
                    LanePolls.Look look = polls.next();
                    if (look == null) wakeUp();
                    else begin(look, true);
                }
                case SETTLING -> {
                    if (now < settlesUntil && !polls.isRung()) return;
                    signals.forget();
                    looksLeft = polls.lookAgainAtRung();
                    node = NodeSleep.ONCE_MORE;
                }
                case ONCE_MORE ->
                    lookOr(() -> {
                        if (polls.doze()) node = NodeSleep.ASLEEP;
                        else wakeUp();
                    });
            }
        }

        private void awake() {
            if (now < restsUntil && !told()) return;
            restsUntil = 0;
            LanePolls.Look look = polls.next();
            if (look != null) {
                begin(look, true);
            } else if (polls.isQuiet()) {
                node = NodeSleep.LAST_LOOKS;
                signals.forget();
                polls.lookAgain();
                looksLeft = lanes.size();
            } else {
                restsUntil = now + polls.napNanos();
            }
        }

        private void lookOr(Runnable then) {
            LanePolls.Look look = looksLeft-- > 0 ? polls.next() : null;
            if (look == null) then.run();
            else begin(look, true);
        }

        private void fallAsleep() {
            polls.fallAsleep();
            node = NodeSleep.ASLEEP;
            sleeps++;
        }

        /** Whether the first claimer was signalled. */
        private boolean told() {
            try {
                return signals.await(0);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private void second() {
            LanePolls.Look look = polls.nextWhole();
            if (look == null) look = polls.next();
            if (look != null) begin(look, false);
        }

        private void check() {
            waiting.forEach((lane, jobs) -> {
                for (Job job : jobs) {
                    long waits = now - job.since();
                    if (waits >= (job.late() ? LATE_BOUND : BOUND))
                        fail("seed %d: lane %d, node %s, %s waits for %d ns", seed, lane, node, job, waits);
                }
            });
        }
    }
}
