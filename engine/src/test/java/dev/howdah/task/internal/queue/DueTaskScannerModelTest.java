package dev.howdah.task.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.internal.SeededModel;
import dev.howdah.task.internal.model.GroupKey;
import dev.howdah.task.internal.model.WaitingTask;
import dev.howdah.task.internal.queue.DueTaskScanner.Page;
import dev.howdah.task.internal.queue.ScanPosition.Key;
import dev.howdah.task.internal.queue.ScanResult.Reach;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What scans read against a simple reference, a sorted map of all tasks that are due, on a clock of the test's own: random inserts and
 * deletions, at the end of the queue and in front of it, while reading the start of the queue is fast or slow.
 */
class DueTaskScannerModelTest implements SeededModel, DueTaskScanner.Source {
    private static final int STEPS = 3_000;
    private static final DueTaskScanner.Limits LIMITS = new DueTaskScanner.Limits(2, 4, 10);
    private static final int MOST = 60;
    private static final long MILLISECOND = Duration.ofMillis(1).toNanos();
    private static final long SLOW_NANOS = 8 * MILLISECOND;
    private static final long MAX_PAUSE_NANOS = Duration.ofSeconds(10).toNanos();
    private static final Comparator<Key> ORDER = Comparator.comparing(Key::plan).thenComparingLong(Key::id);

    /** A statement that the scanner has sent. */
    private record Read(boolean wake, int newest, Key after, int limit, int size, long begun, long nanos) {
        boolean end() {
            return size < limit;
        }
    }

    private final TreeMap<Key, Long> due = new TreeMap<>(ORDER);
    private final List<Read> reads = new ArrayList<>();
    private Random random = new Random();
    private String where = "";
    private long now;
    private boolean slowStart;
    private boolean zoneOutdated;
    private long lastId;
    private DueTaskScanner scanner = new DueTaskScanner(this, LIMITS, () -> now);

    /** Tasks that were due at the last start over and have not been read since. */
    private final Set<Long> missing = new HashSet<>();

    /** Tasks of this moment that were added since the last scan. */
    private final Set<Long> fresh = new HashSet<>();

    private int added;

    /** The time from which on everything is new; null: the last scan has not read everything that it had to. */
    private @Nullable String newFrom;

    private final List<Long> startCosts = new ArrayList<>();
    private long startEnded;
    private long wholeBegun;
    private long wholePause;
    private long lastNew;
    private long lastOther;

    @Override
    public void run(long seed) {
        random = new Random(seed);
        now = random.nextLong(1_000_000_000_000L) + MAX_PAUSE_NANOS;
        scanner = new DueTaskScanner(this, LIMITS, () -> now);
        wholeBegun = now - MAX_PAUSE_NANOS;
        for (int step = 0; step < STEPS; step++) {
            where = "seed " + seed + ", step " + step;
            change();
            if (random.nextInt(3) > 0) scan();
            if (random.nextInt(40) == 0) settle();
        }
        where = "seed " + seed + ", at the end";
        settle();
    }

    private String time(long nanos) {
        return String.format(Locale.ROOT, "%019d", nanos / 1_000);
    }

    private void change() {
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> {
                for (int i = random.nextInt(4); i > 0 && due.size() < MOST; i--) fresh.add(insert(now));
            }
            case 3 -> {
                if (due.size() < MOST) insert(now - random.nextLong(MAX_PAUSE_NANOS));
            }
            case 4, 5 -> {
                for (int i = random.nextInt(6); i > 0; i--) delete();
            }
            case 6, 7 -> now += random.nextLong(20 * MILLISECOND);
            case 8 -> now += random.nextLong(1_000 * MILLISECOND);
            case 9 -> {
                if (random.nextInt(4) == 0) now += random.nextLong(20_000 * MILLISECOND);
            }
            case 10 -> startOver();
            default -> {
                if (random.nextInt(8) == 0) slowStart = !slowStart;
                if (random.nextInt(8) == 0) zoneOutdated = !zoneOutdated;
            }
        }
    }

    private long insert(long plan) {
        added++;
        due.put(new Key(time(plan), ++lastId), lastId);
        return lastId;
    }

    private void delete() {
        if (due.isEmpty()) return;
        Key key = new ArrayList<>(due.keySet()).get(random.nextInt(due.size()));
        long id = Objects.requireNonNull(due.remove(key));
        missing.remove(id);
        fresh.remove(id);
    }

    private void startOver() {
        scanner.startOver();
        missing.clear();
        missing.addAll(due.values());
    }

    @Override
    public Page read(boolean wake, int newest, Key after, int limit) {
        List<Map.Entry<Key, Long>> page =
                due.tailMap(after, false).entrySet().stream().limit(limit).toList();
        List<DueTask> tasks = new ArrayList<>();
        if (page.size() >= limit)
            due.descendingMap().values().stream().limit(newest).forEach(id -> tasks.add(task(id)));
        page.forEach(each -> tasks.add(task(each.getValue())));
        String since = time(now - 200 * MILLISECOND);
        long cost = MILLISECOND + random.nextLong(MILLISECOND);
        if (slowStart && after.equals(Key.START)) cost += random.nextLong(60 * MILLISECOND);
        reads.add(new Read(wake, newest, after, limit, page.size(), now, cost));
        now += cost;
        Key last = page.isEmpty() ? Key.START : page.get(page.size() - 1).getKey();
        return new Page(tasks, page.size(), last, since, null, false, false);
    }

    @Override
    public boolean isZoneOutdated() {
        return zoneOutdated;
    }

    private static DueTask task(long id) {
        WaitingTask task = new WaitingTask(id, 0, 0, 0, 0);
        return new DueTask(new GroupKey("", null), task, Double.POSITIVE_INFINITY, null, inDefaultZone(id));
    }

    private static boolean inDefaultZone(long id) {
        return id % 7 == 0;
    }

    private void scan() {
        reads.clear();
        boolean wake = random.nextBoolean();
        long expected = scanner.nextNanos();
        ScanResult result;
        try {
            result = scanner.scan(wake);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        Read first = reads.get(0);
        boolean onlyNew = first.limit() == LIMITS.whole();
        assertThat(first.wake()).as("%s: wakes", where).isEqualTo(wake);
        assertThat(result.nanos()).as("%s: time", where).isEqualTo(first.nanos());
        assertThat(expected).as("%s: expected time", where).isEqualTo(onlyNew ? lastNew : lastOther);
        if (onlyNew) lastNew = result.nanos();
        else lastOther = result.nanos();
        checkTimes(first, onlyNew);
        checkTasks(result, first, onlyNew);
    }

    /** Scans from the start, and to the end of the queue, have shares of the time. */
    private void checkTimes(Read first, boolean onlyNew) {
        List<Long> lastThree = startCosts.subList(Math.max(startCosts.size() - 3, 0), startCosts.size());
        long fastest = lastThree.size() < 3
                ? 0
                : lastThree.stream().mapToLong(Long::longValue).min().orElse(0);
        boolean pauses = fastest > SLOW_NANOS && first.begun() - startEnded < Math.min(fastest * 100, MAX_PAUSE_NANOS);
        assertThat(onlyNew).as("%s: reads only what is new", where).isEqualTo(pauses && newFrom != null);
        if (first.after().equals(Key.START) && !onlyNew) {
            startCosts.add(first.nanos());
            startEnded = first.begun() + first.nanos();
            boolean readsOn = !first.end() && startEnded - wholeBegun > wholePause;
            assertThat(reads).as("%s: statements", where).hasSize(readsOn ? 2 : 1);
        } else {
            assertThat(reads).as("%s: statements", where).hasSize(1);
        }
        if (reads.size() < 2) return;
        Read whole = reads.get(1);
        wholeBegun = whole.begun();
        wholePause = whole.nanos() * (whole.end() ? 20 : 200);
    }

    private void checkTasks(ScanResult result, Read first, boolean onlyNew) {
        Set<Long> read = new HashSet<>();
        result.tasks().forEach(task -> read.add(task.task().id()));
        assertThat(due.values()).as("%s: only tasks that are due", where).containsAll(read);
        if (zoneOutdated)
            assertThat(read)
                    .as("%s: no task that is judged in another zone", where)
                    .noneMatch(DueTaskScannerModelTest::inDefaultZone);
        // The scan has read them; the caller scans again when the zone is known.
        due.values().stream().filter(id -> zoneOutdated && inDefaultZone(id)).forEach(read::add);
        Reach reach = reads.get(reads.size() - 1).end()
                ? onlyNew ? Reach.NEW : first.after().equals(Key.START) ? Reach.ALL : Reach.SOME
                : Reach.SOME;
        assertThat(result.reach()).as("%s: reach", where).isEqualTo(reach);
        if (reach == Reach.ALL)
            assertThat(read).as("%s: everything that is due", where).containsAll(due.values());
        String from = newFrom;
        if (reach == Reach.NEW && from != null)
            assertThat(read)
                    .as("%s: everything that is new", where)
                    .containsAll(
                            due.tailMap(new Key(from, Long.MIN_VALUE), true).values());
        boolean tooMany = onlyNew && reach == Reach.SOME;
        if (added <= LIMITS.newest() && !tooMany)
            assertThat(read).as("%s: the newest", where).containsAll(fresh);
        fresh.clear();
        added = 0;
        newFrom = reach == Reach.SOME ? null : time(first.begun());
        missing.removeAll(read);
        if (scanner.walkedAll() && scanner.nextStart() == null)
            assertThat(missing).as("%s: tasks that no scan has read", where).isEmpty();
        if (reach == Reach.ALL) {
            assertThat(scanner.walkedAll()).as("%s: has read everything", where).isTrue();
            assertThat(scanner.nextStart()).as("%s: next start", where).isNull();
        }
    }

    /** Scans when it is time, without a change meanwhile: soon everything has been read. */
    private void settle() {
        startOver();
        int most = due.size() / LIMITS.page() + 4;
        int scans = 0;
        for (; scans < most && (scans == 0 || !scanner.walkedAll() || scanner.nextStart() != null); scans++) {
            Duration start = scanner.nextStart();
            if (start != null && scanner.walkedAll()) {
                assertThat(start).as("%s: next start", where).isLessThanOrEqualTo(Duration.ofSeconds(10));
                now += Math.max(start.toNanos(), 0);
            }
            scan();
        }
        assertThat(scanner.walkedAll() && scanner.nextStart() == null)
                .as("%s: everything is read after %s scans", where, scans)
                .isTrue();
        assertThat(missing).as("%s: tasks that no scan has read", where).isEmpty();
    }
}
