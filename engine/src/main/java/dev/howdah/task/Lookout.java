package dev.howdah.task;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sees what waits in the table. Remembers how far it has walked along a long queue. */
final class Lookout {
    /** The newest tasks that every look sees, and how many of the others it sees in passing. */
    static final int NEWEST = 50;

    static final int WALK = 450;

    private static final int PEEK = 200;
    private static final int MAX_PEEK = 10_000;
    private static final long SLOW_PEEK_NANOS = Duration.ofMillis(5).toNanos();

    /**
     * A waiting task, due now.
     *
     * @param expires in how many seconds it will have waited too long; infinite if never
     * @param misplaced null where it is planned for a point of its schedule, or has none
     */
    record Seen(
            LaneKey lane,
            Candidate task,
            double expires,
            @Nullable Misplaced misplaced) {}

    /** @param plan in microseconds of the epoch; no point of the schedule, or that cannot be understood */
    record Misplaced(Timetable.Cron cron, long plan) {}

    /**
     * @param seen what was seen; with {@code all}: everything that is due
     * @param nextPlan how long until a task that is planned for later becomes due; null if there is none
     * @param watched whether somebody's row trigger watches the table's updates
     * @param nanos how long it took
     */
    record Look(List<Seen> seen, boolean all, @Nullable Duration nextPlan, boolean watched, long nanos) {}

    private final Books books;
    private final long oid;
    private final Timetable timetable;
    private String walkedPlan = "-infinity";
    private long walkedId = Long.MIN_VALUE;
    private boolean fromStart = true;
    private boolean walkedAll;
    private int peekLimit = PEEK;

    Lookout(Books books, long oid, Timetable timetable) {
        this.books = books;
        this.oid = oid;
        this.timetable = timetable;
    }

    /** The next look begins with the oldest task. */
    void startOver() {
        walkedPlan = "-infinity";
        walkedId = Long.MIN_VALUE;
        fromStart = true;
        walkedAll = false;
    }

    /** Whether everything that was due has been seen since the walk began. */
    boolean walkedAll() {
        return walkedAll;
    }

    /** @param wake whether to let go of the doorbell's lock first: who writes from now on need not ring */
    Look look(boolean wake) throws SQLException {
        long begun = System.nanoTime();
        List<Seen> seen = new ArrayList<>();
        boolean[] watched = {false};
        int[] walked = {0};
        boolean began = fromStart;
        @Nullable Duration[] nextPlan = {null};
        BooksSession.Visitor visitor = row -> {
            watched[0] = row.getBoolean("triggered");
            int part = row.getInt("part");
            if (row.wasNull()) return;
            if (part == 2) {
                walked[0]++;
                walkedPlan = row.getString("plan");
                walkedId = row.getLong("id");
            }
            seen.add(seen(row));
        };
        Books.Message message = books.message();
        if (wake) message.add("wake", null, oid);
        message.add("look", visitor, oid, NEWEST, walkedPlan, walkedId, WALK)
                .add("next_plan", row -> nextPlan[0] = seconds(row.getDouble("seconds")))
                .send();
        boolean end = walked[0] < WALK;
        boolean ended = end || walkedAll;
        if (end) startOver();
        else fromStart = false;
        walkedAll = ended;
        return new Look(seen, began && end, nextPlan[0], watched[0], System.nanoTime() - begun);
    }

    /** How many tasks of each lane the next peek had better ask for. */
    int peekLimit() {
        return peekLimit;
    }

    /** The next tasks of each of these lanes, in their order. */
    List<Seen> peek(List<Lane> lanes, int limit) throws SQLException {
        long begun = System.nanoTime();
        Integer[] hashes = lanes.stream().map(lane -> lane.hash).toArray(Integer[]::new);
        String[] groups = lanes.stream().map(lane -> lane.key.group()).toArray(String[]::new);
        @Nullable
        String[] remotes = lanes.stream().map(lane -> lane.key.remote()).toArray(String[]::new);
        List<Seen> answer = books.query("peek", this::seen, hashes, groups, remotes, limit);
        // Where a scan walks over much to find little, over tasks of the future or dead rows, more is fetched at once.
        boolean slow = System.nanoTime() - begun > SLOW_PEEK_NANOS && lanes.size() == 1;
        peekLimit = slow ? Math.min(peekLimit * 2, MAX_PEEK) : PEEK;
        return answer;
    }

    /** That many seconds, at most a day. */
    static Duration seconds(double seconds) {
        return Duration.ofNanos((long) (Math.min(Math.max(seconds, 0), 86_400) * 1e9));
    }

    private Seen seen(ResultSet row) throws SQLException {
        Candidate task = new Candidate(
                row.getLong("id"), row.getInt("hash"), row.getInt("max"), row.getInt("count"), row.getDouble("live"));
        String cron = row.getString("cron");
        return new Seen(
                new LaneKey(row.getString("group"), row.getString("remote")),
                task,
                row.getDouble("expires"),
                cron == null
                        ? null
                        : misplaced(new Timetable.Cron(cron, row.getString("zone")), row.getLong("plan_micros")));
    }

    private @Nullable Misplaced misplaced(Timetable.Cron cron, long plan) {
        try {
            if (timetable.nextOrSame(cron, plan) == plan) return null;
        } catch (IllegalArgumentException e) {
            // Said to whoever looks at the row, when it is refused.
        }
        return new Misplaced(cron, plan);
    }
}
