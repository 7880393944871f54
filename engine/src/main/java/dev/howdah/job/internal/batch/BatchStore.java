package dev.howdah.job.internal.batch;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.internal.sql.Transactions;
import dev.howdah.job.internal.attempt.AttemptResult;
import dev.howdah.job.internal.attempt.ChildEnds;
import dev.howdah.job.internal.attempt.ClaimedJob;
import dev.howdah.job.internal.attempt.OrderRuns;
import dev.howdah.job.internal.attempt.OrderTurns;
import dev.howdah.job.internal.attempt.TurnEnds;
import dev.howdah.job.internal.lane.Lane;
import dev.howdah.job.internal.store.JobMetrics;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.spi.Metrics;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes jobs and writes down what became of them, in one session. A batch that the database does not know as this node's
 * any more is refused: another node has taken it for dead. For one thread at a time.
 */
public final class BatchStore {
    private static final Logger log = LoggerFactory.getLogger(BatchStore.class);
    private static final Sql CLAIM_ONE = JobSql.JOB.statement("job_claim_one");
    private static final Sql CLAIM_WITHIN = JobSql.LIMIT.statement("limit_claim");
    /** So many jobs one claim takes within limits: their turns are worked out one by one. */
    private static final int MOST_WITHIN = 200;

    private static final Sql RING = JobSql.JOB.statement("lane_ring");
    private static final Sql MOVE_KINDS = JobSql.JOB.statement("kind_move");
    /** So many jobs are looked at by one statement that moves kinds which are not worked here. */
    private static final int LOOKED_AT = 10_000;

    private static final Sql LOG_CLAIM = JobSql.LOG.statement("log_claim");
    private static final Sql LOG_END = JobSql.LOG.statement("log_end");
    private static final Sql LOG_NOTE = JobSql.LOG.statement("log_note");
    private static final Sql LOG_UNPACK = JobSql.LOG.statement("log_unpack");

    public static final Sql SETTLE = DayStatements.of(null).settle();
    private static final Sql SETTLE_ORDERED = SETTLE.then(JobSql.ORDER.statement("order_pass_on"));
    private static final Sql TODAY = JobSql.JOB.statement("day_today");
    private static final Sql END_ORDERED = JobSql.ORDER.statement("order_end");
    private static final Sql KEYS_SETTLE = JobSql.JOB.statement("key_settle");
    private static final Sql CANCELLATIONS = JobSql.JOB.statement("cancellation_of");
    /** A node hears of a cancellation within this time. */
    private static final long HEARD_MICROS = 2_000_000;

    private static final Sql PAIR = JobSql.WAIT.statement("signal_pair");
    private static final int MARKS = 1_000;

    private static final Sql IS_TEXT = JobSql.JOB.statement("payload_is_text");
    private static final Sql IS_JSON = JobSql.JOB.statement("payload_is_json");

    private final JobSession session;
    private final int node;
    private final String[] alone;
    private final BatchMetrics metrics;
    private final Predicate<Lane> together;
    private final ClaimReader reader;
    private final ClaimTime time = new ClaimTime();
    /** Of which day the last new batch was; null: not known yet. */
    private @Nullable String today;

    /** @param alone kinds of which each job needs a batch of its own */
    public BatchStore(JobSession session, int node, String[] alone) {
        this(session, node, alone, new BatchMetrics(new JobMetrics(Metrics.none())), lane -> false);
    }

    /**
     * @param alone kinds of which each job needs a batch of its own
     * @param together whether jobs of a lane that have order keys share a batch
     */
    public BatchStore(JobSession session, int node, String[] alone, BatchMetrics metrics, Predicate<Lane> together) {
        this.together = together;
        this.session = session;
        this.node = node;
        this.alone = alone.clone();
        this.metrics = metrics;
        this.reader = new ClaimReader(session, node, metrics);
    }

    /**
     * What a claim brought.
     *
     * @param asked how many jobs the claim was for; fewer {@code jobs}: no other ones were due
     * @param lows where the due jobs of each priority begin now, where that was seen
     * @param paused kinds of the lane that are not to be worked now
     * @param lane how the lane is, where its claims say that
     */
    public record Claimed(
            List<ClaimedBatch> batches,
            int asked,
            int jobs,
            Map<Integer, ScanBounds.Low> lows,
            Set<String> paused,
            LaneState lane) {
        /** Nothing, of that many. */
        public static Claimed nothing(int asked) {
            return new Claimed(List.of(), asked, 0, Map.of(), Set.of(), LaneState.UNKNOWN);
        }
    }

    /**
     * How a lane with groups is.
     *
     * @param contended whether another node claims from its queue
     * @param full whether limits leave no room
     * @param ruled whether nothing was taken because there is a limit, a rate or an ageing that the claim did not know of
     * @param nextMillis in how many milliseconds to look again, if nothing else happens; -1: not known
     * @param pacedMillis in how many milliseconds a rate leaves room; 0: it does
     */
    public record LaneState(boolean contended, boolean full, boolean ruled, long nextMillis, long pacedMillis) {
        static final LaneState UNKNOWN = new LaneState(false, false, false, -1, 0);
    }

    /** Lets a session plan what it does for most jobs, by claims that take nothing: no lane has the number 0. */
    public static void planClaim(JobSession session) throws SQLException {
        BatchStore store = new BatchStore(session, 0, new String[0]);
        Lane none = new Lane(0, "", null);
        store.learnDay();
        // The driver keeps a statement from the second time on.
        for (int i = 0; i < 2; i++) {
            store.claimOne(none);
            store.claim(List.of(), none, 0, ScanBounds.NONE);
            store.end(new Ended(List.of()), DayStatements.of(store.today));
        }
    }

    private void learnDay() throws SQLException {
        try (ResultSet row = session.query(TODAY)) {
            row.next();
            today = row.getString(1);
        }
    }

    /** Batches that have ended, as statements take them. */
    private static final class Ended {
        final List<ClaimedBatch> batches;
        final Long[] ids;
        final Long[] tokens;
        final String[] begins;
        final String[] runs;
        final WorkflowCounts counts = new WorkflowCounts();

        Ended(List<ClaimedBatch> batches) {
            this.batches = batches;
            this.ids = new Long[batches.size()];
            this.tokens = new Long[ids.length];
            this.begins = new String[ids.length];
            this.runs = new String[ids.length];
            for (int i = 0; i < ids.length; i++) {
                ClaimedBatch batch = batches.get(i);
                ids[i] = batch.batch();
                tokens[i] = batch.token();
                begins[i] = times(batch, true);
                runs[i] = times(batch, false);
                counts.add(batch, batch.members());
            }
        }
    }

    /**
     * Writes that all jobs of those batches are done.
     *
     * @param ended each of them {@link ClaimedBatch#isPlain}
     */
    public void end(List<ClaimedBatch> ended) throws SQLException {
        if (ended.isEmpty()) return;
        Ended batches = new Ended(ended);
        DayStatements day = DayStatements.of(DayStatements.dayOf(ended));
        Set<ClaimId> finished = new HashSet<>();
        if (batches.counts.isEmpty()) finished.addAll(end(batches, day));
        else
            Transactions.run(session.connection(), () -> {
                session.update(WorkflowCounts.COUNT, batches.counts.values(node));
                finished.addAll(end(batches, day));
            });
        finished(ended, finished);
    }

    private Set<ClaimId> end(Ended ended, DayStatements day) throws SQLException {
        Set<ClaimId> finished = new HashSet<>();
        try (ResultSet row = session.query(day.done(), node, ended.ids, ended.begins, ended.runs, ended.tokens)) {
            while (row.next()) finished.add(new ClaimId(row.getLong(1), row.getLong(2)));
        }
        return finished;
    }

    /**
     * Takes the first due job of a lane of which the node knows no limit, by a statement that costs a third of {@link #claim}.
     *
     * @return no job: that statement is not for this lane as it is now, or there is none
     */
    public Claimed claimOne(Lane lane) throws SQLException {
        ClaimResult taken = new ClaimResult(1);
        long token = ClaimId.newToken();
        boolean more = false;
        try (ResultSet row =
                session.query(CLAIM_ONE, node, token, lane.id(), lane.queue(), alone, together.test(lane))) {
            if (row.next()) more = taken.readOne(row);
        }
        int asked = more || taken.jobs() == 0 ? taken.jobs() : 2;
        return claimed(List.of(), lane, asked, null, taken, token);
    }

    /**
     * Writes that all jobs of those batches are done, and takes others, in one statement.
     *
     * @param ended each of them {@link ClaimedBatch#isPlain}
     * @param most how many to take at most; may be 0
     * @param from where to look
     */
    public Claimed claim(List<ClaimedBatch> ended, Lane lane, int most, ScanBounds from) throws SQLException {
        return claim(ended, lane, most, null, from, null);
    }

    /** The same from a lane of which the node knows no limit; if there is one by now nothing is taken, and the answer {@linkplain LaneState#ruled says} so. */
    public Claimed claimUnruled(List<ClaimedBatch> ended, Lane lane, int most, ScanBounds from) throws SQLException {
        return claim(ended, lane, most, null, from, lane.queue());
    }

    /**
     * The same from a lane with a limit.
     *
     * @param width how many of the claimed jobs run at the same time at most; null: as many as there are workers
     */
    public Claimed claim(List<ClaimedBatch> ended, Lane lane, int most, @Nullable BatchWidth width, ScanBounds from)
            throws SQLException {
        return claim(ended, lane, most, width, from, null);
    }

    private Claimed claim(
            List<ClaimedBatch> ended,
            Lane lane,
            int most,
            @Nullable BatchWidth width,
            ScanBounds from,
            @Nullable String unruled)
            throws SQLException {
        Ended batches = new Ended(ended);
        ClaimResult taken = new ClaimResult(Math.min(most, 500));
        long token = ClaimId.newToken();
        @Nullable
        Object[] values = {
            node,
            batches.ids,
            batches.begins,
            batches.runs,
            lane.id(),
            most,
            from.priorities(),
            from.runAts(),
            alone,
            from.ids(),
            from.slackMillis(),
            token,
            batches.tokens,
            width == null ? null : width.most(),
            together.test(lane),
            from.tellsNext(),
            unruled
        };
        Sql claim = DayStatements.of(ended.isEmpty() ? today : DayStatements.dayOf(ended))
                .claim();
        if (batches.counts.isEmpty()) {
            read(claim, values, taken);
        } else {
            // Not as one message: the driver would end the transaction before a statement whose rows may be large.
            Transactions.run(session.connection(), () -> {
                session.update(WorkflowCounts.COUNT, batches.counts.values(node));
                read(claim, values, taken);
            });
        }
        return claimed(ended, lane, most, width, taken, token);
    }

    /**
     * Takes jobs from a lane with groups, within all limits.
     *
     * @param most how many to take at most, 1 or more
     * @param soon how many of them begin at once; the others are not taken in the order of turns
     * @param from where to look
     */
    public Claimed claimWithin(Lane lane, int most, int soon, ScanBounds from) throws SQLException {
        ClaimResult taken = new ClaimResult(Math.min(most, MOST_WITHIN));
        long token = ClaimId.newToken();
        int asked = Math.min(most, MOST_WITHIN);
        long sent = System.nanoTime();
        try (ResultSet row = session.query(
                CLAIM_WITHIN, node, token, lane.id(), asked, alone, from.groups(), soon, time.allowedMicros())) {
            while (row.next()) taken.read(row);
        }
        if (taken.beginMicros > 0) time.took(System.nanoTime() - sent);
        Claimed claimed = reader.batches(lane, asked, new BatchWidth(Math.max(taken.jobs(), 1)), taken, token);
        if (taken.beginMicros > 0)
            for (ClaimedBatch batch : claimed.batches()) batch.beginBefore(sent + taken.beginMicros * 1_000);
        return claimed;
    }

    /**
     * Takes jobs from a log.
     *
     * @param most how many to take at most, 1 or more
     * @param limited whether a limit holds for the lane: the jobs wait in it then, and are claimed within the limit
     */
    public Claimed claimLog(Lane lane, int most, boolean limited) throws SQLException {
        ClaimResult taken = new ClaimResult(most);
        long token = ClaimId.newToken();
        try (ResultSet row = session.query(LOG_CLAIM, node, token, lane.id(), most, limited ? null : alone)) {
            while (row.next()) taken.read(row);
        }
        return reader.leases(lane, most, taken, token);
    }

    /**
     * Writes that all jobs of those leases are done.
     *
     * @param ended each of them {@link ClaimedBatch#isPlain}
     */
    public void endLog(List<ClaimedBatch> ended) throws SQLException {
        Set<ClaimId> accepted = new HashSet<>();
        DoneCounts counts = new DoneCounts();
        for (ClaimedBatch batch : ended) counts.add(batch, batch.members());
        Object[] noted = counts.values();
        try (ResultSet row = session.query(
                LOG_END,
                node,
                ended.stream().map(ClaimedBatch::batch).toArray(Long[]::new),
                ended.stream().map(ClaimedBatch::token).toArray(Long[]::new),
                noted[0],
                noted[1],
                noted[2],
                noted[3],
                noted[4])) {
            while (row.next()) accepted.add(new ClaimId(row.getLong(1), row.getLong(2)));
        }
        finished(ended, accepted);
    }

    /**
     * Writes that all jobs of those batches are done, and takes the next job of each of their order keys where that can be done.
     *
     * @param ended each of them {@link ClaimedBatch#isPlainInOrder}
     * @param lane from which jobs are taken
     * @param most of how many keys jobs are taken at most; the others wait in their lanes. May be 0
     * @param kinds of which jobs are taken
     * @param run how many jobs of a key are taken at most, 1 or more
     */
    public Claimed next(List<ClaimedBatch> ended, Lane lane, int most, String[] kinds, int run) throws SQLException {
        ClaimResult taken = new ClaimResult(Math.min(most * run, 500));
        long token = ClaimId.newToken();
        try (ResultSet row = session.query(
                END_ORDERED,
                node,
                ended.stream().map(ClaimedBatch::batch).toArray(Long[]::new),
                ended.stream().map(batch -> times(batch, true)).toArray(String[]::new),
                ended.stream().map(batch -> times(batch, false)).toArray(String[]::new),
                ended.stream().map(ClaimedBatch::token).toArray(Long[]::new),
                most,
                lane.id(),
                kinds,
                token,
                run)) {
            while (row.next()) taken.read(row);
        }
        return claimed(ended, lane, most, null, taken, token);
    }

    /**
     * Writes how far the runs of those batches are, so that the next jobs of their order keys may begin.
     *
     * @param batches each of them with what is to be written
     * @return those that are this node's, and of which more may begin
     */
    public Set<ClaimedBatch> passTurns(Map<ClaimedBatch, OrderRuns.Turns> batches) throws SQLException {
        Map<ClaimId, ClaimedBatch> claims = new LinkedHashMap<>();
        for (ClaimedBatch batch : batches.keySet()) claims.put(batch.claim(), batch);
        Sql turns = DayStatements.of(DayStatements.dayOf(List.copyOf(claims.values())))
                .turns();
        Set<ClaimedBatch> going = new HashSet<>();
        try (ResultSet row = session.query(
                turns,
                node,
                claims.keySet().stream().map(ClaimId::batch).toArray(Long[]::new),
                batches.values().stream().map(OrderRuns.Turns::done).toArray(String[]::new),
                claims.keySet().stream().map(ClaimId::token).toArray(Long[]::new))) {
            while (row.next()) {
                ClaimedBatch batch = claims.get(new ClaimId(row.getLong(1), row.getLong(2)));
                if (batch != null && row.getBoolean(3)) going.add(batch);
            }
        }
        return going;
    }

    private void read(Sql claim, @Nullable Object[] values, ClaimResult taken) throws SQLException {
        try (ResultSet row = session.query(claim, values)) {
            while (row.next()) taken.read(row);
        }
    }

    private Claimed claimed(
            List<ClaimedBatch> ended, Lane lane, int most, @Nullable BatchWidth width, ClaimResult taken, long token)
            throws SQLException {
        finished(ended, taken.finished);
        newDay(taken.day);
        return reader.batches(lane, most, width, taken, token);
    }

    private void finished(List<ClaimedBatch> ended, Set<ClaimId> finished) {
        for (ClaimedBatch batch : ended)
            if (finished.contains(batch.claim())) metrics.ended(batch, batch.members());
            else refused(batch);
    }

    private void newDay(@Nullable String day) throws SQLException {
        if (day == null || day.equals(today)) return;
        // Statements of yesterday that are still needed are prepared again.
        if (today != null) for (Sql each : DayStatements.of(today).all()) session.forget(each);
        today = day;
    }

    private static String times(ClaimedBatch batch, boolean begins) {
        StringBuilder text = new StringBuilder(batch.size() * 5 + 2).append('{');
        for (int i : batch.members()) {
            if (text.length() > 1) text.append(',');
            text.append(begins ? batch.begins(i) : batch.runs(i));
        }
        return text.append('}').toString();
    }

    /**
     * Writes the results of batches in one statement, as jobs that are claimed one by one have a batch each.
     *
     * @param ended each of them {@link ClaimedBatch#isDone}
     */
    public void settleDone(List<ClaimedBatch> ended) throws SQLException {
        Set<Long> accepted = new HashSet<>();
        try (ResultSet row = session.query(SETTLE, doneValues(ended))) {
            while (row.next()) accepted.add(row.getLong(1));
        } catch (SQLException e) {
            // It is seen of which.
            if (!SqlErrors.isBadData(e)) throw e;
            for (ClaimedBatch batch : ended) settle(batch);
            return;
        }
        for (ClaimedBatch batch : ended)
            if (accepted.contains(batch.batch())) metrics.ended(batch, batch.members());
            else refused(batch);
    }

    private @Nullable Object[] doneValues(List<ClaimedBatch> ended) throws SQLException {
        List<BatchOutcomes> outcomes = new ArrayList<>();
        List<ClaimId> claims = new ArrayList<>();
        for (ClaimedBatch batch : ended) {
            BatchOutcomes each = new BatchOutcomes();
            for (int i : batch.members()) each.add(batch.job(i), batch.result(i), batch.begins(i), batch.runs(i));
            outcomes.add(each);
            claims.add(batch.claim());
        }
        return BatchOutcomes.values(session.connection(), node, claims, outcomes);
    }

    /**
     * Writes down how the jobs of a batch ended. Those that still run go on in a batch of their own, and the batch is that
     * batch from then on.
     *
     * @return false if it was refused
     */
    public boolean settle(ClaimedBatch batch) throws SQLException {
        // Those that are there now: jobs end while this is written.
        Map<Integer, @Nullable AttemptResult> results = new HashMap<>();
        for (int i : batch.members()) results.put(i, batch.result(i));
        cancelBeforeTheNextAttempt(batch, results);
        try {
            return write(batch, results);
        } catch (SQLException e) {
            // What a handler left may be refused; what became of its job, and of the others, has to be written all the
            // same.
            if (!SqlErrors.isBadData(e)) throw e;
            for (int i : batch.members()) {
                AttemptResult result = results.get(i);
                if (result != null) replace(batch, results, i, acceptable(result));
            }
            return write(batch, results);
        }
    }

    private static void replace(
            ClaimedBatch batch, Map<Integer, @Nullable AttemptResult> results, int i, AttemptResult result) {
        results.put(i, result);
        batch.replace(i, result);
    }

    /**
     * Ends jobs that would be claimed again before their node hears of their cancellation. Cancellations of jobs that are due later end
     * these while they wait.
     */
    private void cancelBeforeTheNextAttempt(ClaimedBatch batch, Map<Integer, @Nullable AttemptResult> results)
            throws SQLException {
        Map<Long, Integer> soon = new HashMap<>();
        for (int i : batch.members()) {
            AttemptResult result = results.get(i);
            if (result != null && result.state().goesOn() && result.delayMicros() < HEARD_MICROS)
                soon.put(batch.job(i).id(), i);
        }
        if (soon.isEmpty()) return;
        for (Long job : cancelled(soon.keySet())) {
            Integer at = soon.get(job);
            if (at != null) replace(batch, results, at, AttemptResult.cancelledWhileItRan());
        }
    }

    /** Those of these jobs that are to be cancelled. */
    public Set<Long> cancelled(Set<Long> jobs) throws SQLException {
        Set<Long> cancelled = new HashSet<>();
        try (ResultSet row = session.query(CANCELLATIONS, (Object) jobs.toArray(Long[]::new))) {
            while (row.next()) cancelled.add(row.getLong(1));
        }
        return cancelled;
    }

    private boolean write(ClaimedBatch batch, Map<Integer, @Nullable AttemptResult> results) throws SQLException {
        return batch.isLease() ? settleLease(batch, results) : settleBatch(batch, results);
    }

    /** Jobs of a log queue that are not just done become those of an ordinary batch, which is settled in the same transaction. */
    private boolean settleLease(ClaimedBatch lease, Map<Integer, @Nullable AttemptResult> results) throws SQLException {
        List<Integer> left = new ArrayList<>();
        List<Integer> done = new ArrayList<>();
        List<Integer> ended = new ArrayList<>();
        for (int i : lease.members()) {
            AttemptResult result = results.get(i);
            if (result != null) ended.add(i);
            if (result == null || !result.isPlain()) left.add(i);
            else done.add(i);
        }
        left.sort(Comparator.comparingLong(i -> lease.job(i).id()));
        List<Integer> going = left.stream().filter(i -> results.get(i) == null).toList();
        DoneCounts counts = new DoneCounts();
        counts.add(lease, done);
        Settled settled = Transactions.in(session.connection(), () -> {
            Long batch = unpacked(lease, left);
            if (batch == null) return new Settled(false, null);
            if (!counts.isEmpty()) session.update(LOG_NOTE, counts.values());
            if (left.isEmpty() || left.size() == going.size()) return new Settled(true, batch);
            BatchOutcomes outcomes = new BatchOutcomes();
            for (int i : left) {
                AttemptResult result = results.get(i);
                outcomes.add(lease.job(i), result, lease.begins(i), lease.runs(i));
            }
            return write(SETTLE, outcomes.values(session.connection(), node, new ClaimId(batch, lease.token())));
        });
        if (!settled.accepted()) {
            refused(lease);
            return false;
        }
        if (going.isEmpty()) lease.written();
        else if (settled.moved() != null) lease.moved(settled.moved(), going);
        metrics.ended(lease, ended);
        return true;
    }

    private @Nullable Long unpacked(ClaimedBatch lease, List<Integer> left) throws SQLException {
        Long[] ids = left.stream().map(i -> lease.job(i).id()).toArray(Long[]::new);
        try (ResultSet row = session.query(LOG_UNPACK, node, lease.batch(), lease.token(), ids)) {
            row.next();
            return row.getObject(1, Long.class);
        }
    }

    private boolean settleBatch(ClaimedBatch batch, Map<Integer, @Nullable AttemptResult> results) throws SQLException {
        BatchOutcomes settlement = new BatchOutcomes();
        List<Integer> ended = new ArrayList<>();
        List<Integer> going = new ArrayList<>();
        for (int i : batch.members()) {
            AttemptResult result = results.get(i);
            (result == null ? going : ended).add(i);
            settlement.add(batch.job(i), result, batch.begins(i), batch.runs(i));
        }
        @Nullable Object[] values = settlement.values(session.connection(), node, batch.claim());
        ClaimedJob first = batch.job(batch.members().get(0));
        WorkflowCounts counts = new WorkflowCounts();
        counts.add(batch, ended);
        ChildEnds children = new ChildEnds();
        for (int i : ended) children.add(batch.job(i), batch.kind(i), batch.cancelsChildren(i), results.get(i));
        OrderTurns turns = new OrderTurns();
        for (int i : ended) turns.add(batch.job(i), results.get(i));
        Sql settle = first.isOrdered()
                ? SETTLE_ORDERED
                : DayStatements.of(batch.day()).settle();
        @Nullable Object[] all = first.isOrdered() ? inOrder(values, batch, results, settlement.letters()) : values;
        Settled settled = counts.isEmpty() && children.isEmpty() && turns.isEmpty() && settlement.keyed().length == 0
                ? write(settle, all)
                : writeWith(settle, all, counts, settlement.keyed(), children, turns);
        if (!settled.accepted()) refused(batch);
        else if (going.isEmpty()) batch.written();
        else if (settled.moved() != null) batch.moved(settled.moved(), going);
        if (settled.accepted() && settlement.awaits()) session.update(PAIR, MARKS);
        // A job that goes on may have ended by now; that is written another time.
        if (settled.accepted()) metrics.ended(batch, ended);
        return settled.accepted();
    }

    /** What the database takes. A job whose result it refuses has failed: as done without a result it would count as one that has set none. */
    private AttemptResult acceptable(AttemptResult result) throws SQLException {
        String error = result.error();
        if (error != null && !isStorable(error)) return result.withError(ErrorText.ascii(error));
        String objection = objection(result.result());
        if (objection != null) return AttemptResult.failed("its result is refused: " + objection);
        AttemptResult.Step next = result.next();
        objection = next == null ? null : objection(next.payload());
        return next == null || objection == null ? result : next.refused(objection);
    }

    /** @param moved the batch of those that go on */
    private record Settled(boolean accepted, @Nullable Long moved) {}

    private Settled write(Sql settle, @Nullable Object[] values) throws SQLException {
        try (ResultSet row =
                settle == SETTLE_ORDERED ? session.queryFirst(settle, values) : session.query(settle, values)) {
            return settled(row);
        }
    }

    private static Settled settled(ResultSet row) throws SQLException {
        Long moved = null;
        boolean accepted = false;
        while (row.next()) {
            accepted = true;
            long to = row.getLong(2);
            if (!row.wasNull()) moved = to;
        }
        return new Settled(accepted, moved);
    }

    /** That their turns are over is written in the transaction that ends the jobs; in one message, so that nothing is held. */
    private @Nullable Object[] inOrder(
            @Nullable Object[] values,
            ClaimedBatch batch,
            Map<Integer, @Nullable AttemptResult> results,
            String letters) {
        TurnEnds ends = new TurnEnds();
        for (int i : batch.members()) ends.add(batch.job(i), results.get(i));
        @Nullable Object[] turns = ends.values(node, batch.batch(), batch.token(), letters);
        @Nullable Object[] all = Arrays.copyOf(values, values.length + turns.length);
        System.arraycopy(turns, 0, all, values.length, turns.length);
        return all;
    }

    /**
     * That jobs of workflows are done is counted, and what follows from the end of jobs with keys and of children is written, in the transaction that
     * ends the jobs.
     */
    private Settled writeWith(
            Sql settle,
            @Nullable Object[] values,
            WorkflowCounts counts,
            Long[] keyed,
            ChildEnds children,
            OrderTurns turns)
            throws SQLException {
        return Transactions.in(session.connection(), () -> {
            if (!counts.isEmpty()) session.update(WorkflowCounts.COUNT, counts.values(node));
            Settled settled = write(settle, values);
            if (settled.accepted() && keyed.length > 0) session.update(KEYS_SETTLE, (Object) keyed);
            if (settled.accepted() && !children.isEmpty()) session.update(ChildEnds.WRITE, children.values());
            if (settled.accepted() && !turns.isEmpty()) turns.write(session);
            return settled;
        });
    }

    /** Whether the encoding of the database has all characters of that text. */
    private boolean isStorable(String text) throws SQLException {
        if (text.equals(ErrorText.ascii(text))) return true;
        try (ResultSet row = session.query(IS_TEXT, text)) {
            return row.next();
        } catch (SQLException e) {
            if (!SqlErrors.isBadData(e)) throw e;
            return false;
        }
    }

    /** What the database says against a result; null if it takes it. */
    private @Nullable String objection(@Nullable String result) throws SQLException {
        if (result == null) return null;
        try (ResultSet row = session.query(IS_JSON, result)) {
            row.next();
            return null;
        } catch (SQLException e) {
            if (!SqlErrors.isBadData(e)) throw e;
            return e.getMessage();
        }
    }

    /** Moves the next jobs of kinds that are not worked in that lane to the lanes of these kinds. */
    public void moveKinds(Lane from, Map<String, Integer> lanes) throws SQLException {
        session.update(
                MOVE_KINDS,
                from.id(),
                lanes.keySet().toArray(String[]::new),
                lanes.values().toArray(Integer[]::new),
                LOOKED_AT);
    }

    /** Rings for the nodes that sleep at these lanes. */
    public void ring(Set<Integer> lanes) throws SQLException {
        session.update(RING, (Object) lanes.toArray(Integer[]::new));
    }

    private void refused(ClaimedBatch batch) {
        metrics.refused(batch);
        log.warn(
                "what {} jobs of batch {} ({}) ended with was refused: the claim is not this node's any more, others have them",
                batch.members().size(),
                batch.batch(),
                batch.lane().queue());
    }
}
