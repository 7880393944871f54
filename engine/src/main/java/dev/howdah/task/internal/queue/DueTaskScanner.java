package dev.howdah.task.internal.queue;

import dev.howdah.task.internal.leader.LeaderSession;
import dev.howdah.task.internal.leader.SharedLeaderSession;
import dev.howdah.task.internal.model.GroupKey;
import dev.howdah.task.internal.model.WaitingTask;
import dev.howdah.task.internal.session.SessionVersions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sees what waits in the table. Remembers how far it has walked along a long queue. */
public final class DueTaskScanner {
    /** The newest tasks that every look sees, and how many of the others it sees in passing. */
    static final int NEWEST = 50;

    static final int WALK = 450;

    private static final int PEEK = 200;
    private static final int MAX_PEEK = 10_000;
    private static final long SLOW_PEEK_NANOS = Duration.ofMillis(5).toNanos();

    /** More than this, three times in a row, tells of dead rows in front, which some old snapshot keeps. */
    private static final long SLOW_START_NANOS = Duration.ofMillis(8).toNanos();

    private static final long MAX_PAUSE_NANOS = Duration.ofSeconds(10).toNanos();

    /** Where looking from the start is slow it takes at most one part in so many of the time. */
    private static final int START_SHARE = 100;

    /** Seeing a long queue whole takes at most one part in so many of the time. */
    private static final int WIDE_SHARE = 20;

    /** A queue of no more is seen whole, so that nobody has to ask for its order. */
    private static final int WIDE = 10_000;

    /**
     * A waiting task, due now.
     *
     * @param expires in how many seconds it will have waited too long; infinite if never
     * @param misplaced null where it is planned for a point of its schedule, or has none
     */
    public record Seen(
            GroupKey lane,
            WaitingTask task,
            double expires,
            @Nullable Misplaced misplaced) {}

    /** @param plan in microseconds of the epoch; no point of the schedule, or that cannot be understood */
    record Misplaced(CronTimetable.Cron cron, long plan) {}

    /** How much of what is due was seen: some; all that is new since all was seen; all. */
    public enum Reach {
        SOME,
        NEW,
        ALL
    }

    /**
     * @param seen what was seen
     * @param reach how much that is of what is due
     * @param nextPlan how long until a task that is planned for later becomes due; null if there is none
     * @param watched whether somebody's row trigger watches the table's updates
     * @param waits whether anything waits for other tasks
     * @param nanos how long it took, but for seeing a long queue whole, which is rationed by itself
     */
    public record Look(
            List<Seen> seen, Reach reach, @Nullable Duration nextPlan, boolean watched, boolean waits, long nanos) {}

    private final LeaderSession books;
    private final long oid;
    private final CronTimetable timetable;
    private final SessionVersions versions;
    private String walkedPlan = "-infinity";
    private long walkedId = Long.MIN_VALUE;
    private boolean fromStart = true;
    private boolean walkedAll;
    private int peekLimit = PEEK;
    private boolean slowPeek;

    /** Where a look goes on that shall only see what is new; null while not everything was seen. */
    private @Nullable String since;

    private long startAt = System.nanoTime();
    private long startNanos;
    private long lastStartNanos;
    private long lastButOneNanos;
    private long lastNanos;
    private long newNanos;
    private boolean owed;
    private long wideAt = System.nanoTime() - MAX_PAUSE_NANOS;
    private long widePause;

    /** @param versions is told with each look */
    public DueTaskScanner(LeaderSession books, long oid, CronTimetable timetable, SessionVersions versions) {
        this.versions = versions;
        this.books = books;
        this.oid = oid;
        this.timetable = timetable;
    }

    /** The next look begins with the oldest task. */
    public void startOver() {
        walkedPlan = "-infinity";
        walkedId = Long.MIN_VALUE;
        fromStart = true;
        walkedAll = false;
        owed = true;
    }

    /** Whether everything that was due has been seen since the walk began. */
    public boolean walkedAll() {
        return walkedAll;
    }

    /**
     * @param wake whether to let go of the doorbell's lock first: who writes from now on need not ring
     */
    public Look look(boolean wake) throws SQLException {
        long begun = System.nanoTime();
        String from = since;
        if (from != null && goesOn(begun)) return lookFrom(from, wake);
        boolean began = fromStart;
        Walk walk = new Walk();
        ask(walk, wake, NEWEST, walkedPlan, walkedId, WALK);
        boolean end = walk.walked < WALK;
        long nanos = System.nanoTime() - begun;
        lastNanos = nanos;
        if (began) {
            startAt = begun + nanos;
            startNanos = Math.min(nanos, Math.min(lastStartNanos, lastButOneNanos));
            lastButOneNanos = lastStartNanos;
            lastStartNanos = nanos;
        }
        if (began && !end && startAt - wideAt > widePause) end = lookOn(walk);
        boolean ended = end || walkedAll;
        if (end) startOver();
        else walkOn(walk);
        walkedAll = ended;
        if (ended) owed = false;
        since = began && end ? walk.since : null;
        return walk.look(began && end ? Reach.ALL : Reach.SOME, nanos);
    }

    /** Only what is new: planned since, but for a moment in which others may have been about to commit. */
    private Look lookFrom(String from, boolean wake) throws SQLException {
        long begun = System.nanoTime();
        Walk walk = new Walk();
        ask(walk, wake, 0, from, Long.MIN_VALUE, WIDE);
        boolean end = walk.walked < WIDE;
        since = end ? walk.since : null;
        walkedAll = end;
        newNanos = System.nanoTime() - begun;
        return walk.look(end ? Reach.NEW : Reach.SOME, newNanos);
    }

    /** Goes on to the end of a queue that is not too long; says whether it was reached. */
    private boolean lookOn(Walk walk) throws SQLException {
        wideAt = System.nanoTime();
        int before = walk.walked;
        String first = walk.since;
        ask(walk, false, 0, walk.plan, walk.id, WIDE);
        walk.since = first;
        boolean end = walk.walked - before < WIDE;
        widePause = (System.nanoTime() - wideAt) * (end ? WIDE_SHARE : WIDE_SHARE * 10);
        return end;
    }

    private void walkOn(Walk walk) {
        walkedPlan = walk.plan;
        walkedId = walk.id;
        fromStart = false;
    }

    private long startPause() {
        return Math.min(startNanos * START_SHARE, MAX_PAUSE_NANOS);
    }

    /** What the next look will take, as far as one can tell: only what is new, or as much as the last. */
    public long nextNanos() {
        return goesOn(System.nanoTime()) ? newNanos : lastNanos;
    }

    /** Whether a look goes on from the last one, because looking from the start is slow and has just been done. */
    private boolean goesOn(long now) {
        return since != null && startNanos > SLOW_START_NANOS && now - startAt < startPause();
    }

    /** When to look from the start, because the last looks did not; null if there is no need. */
    @Nullable
    public Duration nextStart() {
        return owed && since != null ? Duration.ofNanos(startPause() - (System.nanoTime() - startAt)) : null;
    }

    private void ask(Walk walk, boolean wake, int newest, String plan, long id, int limit) throws SQLException {
        LeaderSession.Message message = books.message();
        if (wake) message.add("task_wake", null, oid);
        message.add("task_look", walk, oid, newest, plan, id, limit)
                .add("task_next_plan", walk::readNextPlan, (Object) versions.owners())
                .send();
    }

    /** What the rows of a look say. */
    private final class Walk implements SharedLeaderSession.Visitor {
        private final List<Seen> seen = new ArrayList<>();
        private boolean watched;
        private boolean waits;
        private int walked;
        private String plan = "-infinity";
        private long id = Long.MIN_VALUE;
        private @Nullable String since;
        private @Nullable Duration nextPlan;

        /** Tasks that are read in the default zone. */
        private final List<Seen> byDefault = new ArrayList<>();

        @Override
        public void visit(ResultSet row) throws SQLException {
            watched = row.getBoolean("triggered");
            waits = row.getBoolean("waits");
            since = row.getString("since");
            int part = row.getInt("part");
            if (row.wasNull()) return;
            if (part == 2) {
                walked++;
                plan = row.getString("plan");
                id = row.getLong("id");
            }
            CronTimetable.Cron cron = CronTimetable.Cron.read(row);
            Seen each = DueTaskScanner.this.seen(row, cron);
            seen.add(each);
            if (cron != null && cron.usesDefault()) byDefault.add(each);
        }

        private void readNextPlan(ResultSet row) throws SQLException {
            double seconds = row.getDouble("seconds");
            nextPlan = row.wasNull() ? null : seconds(seconds);
            versions.learn(row);
        }

        Look look(Reach reach, long nanos) {
            // Judged by the wrong zone they could be moved to a time that is not looked at before it comes.
            if (!byDefault.isEmpty() && timetable.isOutdated()) seen.removeAll(byDefault);
            return new Look(seen, reach, nextPlan, watched, waits, nanos);
        }
    }

    /** How many tasks of each lane the next peek had better ask for. */
    public int peekLimit() {
        return peekLimit;
    }

    /** The next tasks of each of these lanes, in their order. */
    public List<Seen> peek(List<GroupQueue> lanes, int limit) throws SQLException {
        long begun = System.nanoTime();
        Integer[] hashes = lanes.stream().map(lane -> lane.hash).toArray(Integer[]::new);
        String[] groups = lanes.stream().map(lane -> lane.key.group()).toArray(String[]::new);
        @Nullable
        String[] remotes = lanes.stream().map(lane -> lane.key.remote()).toArray(String[]::new);
        Integer[] turns = lanes.stream()
                .map(lane ->
                        lane.from() == null ? Integer.MIN_VALUE : -lane.from().beside())
                .toArray(Integer[]::new);
        Long[] ids = lanes.stream()
                .map(lane -> lane.from() == null ? Long.MIN_VALUE : lane.from().id())
                .toArray(Long[]::new);
        List<Seen> answer = books.query("task_peek", this::seen, hashes, groups, remotes, limit, turns, ids);
        // Where a scan walks over much to find little, over tasks of the future or dead rows, more is fetched at once.
        slowPeek = System.nanoTime() - begun > SLOW_PEEK_NANOS && lanes.size() == 1;
        peekLimit = slowPeek ? Math.min(peekLimit * 2, MAX_PEEK) : PEEK;
        return answer;
    }

    /** Whether the last peek walked over much to find little. */
    public boolean slowPeek() {
        return slowPeek;
    }

    /** That many seconds, at most a day. */
    public static Duration seconds(double seconds) {
        return Duration.ofNanos((long) (Math.min(Math.max(seconds, 0), 86_400) * 1e9));
    }

    private Seen seen(ResultSet row) throws SQLException {
        return seen(row, CronTimetable.Cron.read(row));
    }

    private Seen seen(ResultSet row, CronTimetable.@Nullable Cron cron) throws SQLException {
        WaitingTask task = new WaitingTask(
                row.getLong("id"),
                row.getInt("hash"),
                row.getInt("max"),
                row.getInt("count"),
                row.getDouble("live"),
                row.getString("owner"));
        return new Seen(
                new GroupKey(row.getString("group"), row.getString("remote")),
                task,
                row.getDouble("expires"),
                cron == null ? null : misplaced(cron, row.getLong("plan_micros")));
    }

    private @Nullable Misplaced misplaced(CronTimetable.Cron cron, long plan) {
        try {
            if (timetable.nextOrSame(cron, plan) == plan) return null;
        } catch (IllegalArgumentException e) {
            // Said to whoever looks at the row, when it is refused.
        }
        return new Misplaced(cron, plan);
    }
}
