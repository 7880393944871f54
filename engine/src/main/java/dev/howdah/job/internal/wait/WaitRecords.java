package dev.howdah.job.internal.wait;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.TransactionSession;
import dev.howdah.internal.error.SqlErrorText;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.Job;
import dev.howdah.job.JobsException;
import dev.howdah.job.internal.attempt.OpenWait;
import dev.howdah.job.internal.attempt.RecordRoom;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.job.wait.EventWait;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The records of a job in the database: read once for a run, and written while the node has the job. For one thread at a time. */
final class WaitRecords {
    private static final Sql READ = JobSql.WAIT.statement("wait_read");
    private static final Sql TAKE = JobSql.WAIT.statement("signal_take");
    private static final Sql SET_ASIDE = JobSql.WAIT.statement("signal_set_aside");
    private static final Sql TAKE_ANY = JobSql.WAIT.statement("wait_take_any", AnyTake.class);
    private static final Sql TAKE_EVENT = JobSql.WAIT.statement("job_event_take", EventTake.class);
    private static final Sql TAKE_JOB = JobSql.WAIT.statement("wait_take_job", JobTake.class);
    private static final Sql SEEN = JobSql.WAIT.statement("child_seen");
    private static final Sql FAIL = JobSql.WAIT.statement("wait_fail");
    private static final Sql SLEPT = JobSql.WAIT.statement("wait_slept");
    /** A batch is split while its other jobs end: the statement then looks for the job in the new one. */
    static final int LOOKS = 3;

    private final ConnectionSource source;
    private final ClaimedBatch batch;
    private final Job job;
    private final RecordRoom room;
    private @Nullable Map<WaitRecord.Key, WaitRecord> records;
    private final Map<Integer, Integer> nodes = new HashMap<>();
    private long readAt;
    private long nowMicros;
    private int last;

    WaitRecords(ConnectionSource source, ClaimedBatch batch, Job job, RecordRoom room) {
        this.room = room;
        this.source = source;
        this.batch = batch;
        this.job = job;
    }

    /** The record of an earlier run; null: there is none. */
    @Nullable
    WaitRecord find(WaitRecord.Key key) {
        return all().get(key);
    }

    /** The node that has written the record of that number in an earlier run; null: none has. */
    @Nullable
    Integer node(int number) {
        all();
        return nodes.get(number);
    }

    /** When the records were read, by {@link System#nanoTime}. */
    long readAt() {
        return readAt;
    }

    /** The database's time when they were read, in microseconds since 1970. */
    long nowMicros() {
        all();
        return nowMicros;
    }

    /** The number of the last record; 0: there is none. */
    int last() {
        all();
        return last;
    }

    /** The same, without asking the database: of those that are known. */
    int lastKnown() {
        return last;
    }

    private Map<WaitRecord.Key, WaitRecord> all() {
        Map<WaitRecord.Key, WaitRecord> known = records;
        if (known != null) return known;
        try {
            records = known = read();
            return known;
        } catch (SQLException e) {
            throw new JobsException("the records of job " + job.id() + " cannot be read: " + SqlErrorText.of(e), e);
        }
    }

    private Map<WaitRecord.Key, WaitRecord> read() throws SQLException {
        Map<WaitRecord.Key, WaitRecord> read = new HashMap<>();
        readAt = System.nanoTime();
        try (TransactionSession session = source.statementSession();
                PreparedStatement statement = READ.prepare(session.connection(), job.id(), job.kind(), job.queue());
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                String type = row.getString("type");
                if (type == null) nowMicros = row.getLong("left");
                if (type == null && row.getBoolean("over"))
                    throw new IllegalStateException(
                            "job " + job.id() + " is of the log queue " + job.queue()
                                    + ", whose entries can be read again: its handler cannot wait; add a job to another queue for that");
                if (type == null) continue;
                WaitRecord.Key key =
                        new WaitRecord.Key(OpenWait.Type.of(type), row.getString("name"), row.getInt("nth"));
                int number = row.getInt("number");
                String payload = row.getString("payload");
                // Children that were added by one call are one record.
                if (key.type() != OpenWait.Type.CHILD || key.nth() == 1)
                    room.read(payload == null ? row.getString("result") : payload);
                nodes.put(number, row.getInt("node"));
                read.put(
                        key,
                        new WaitRecord(
                                number,
                                key,
                                row.getString("until"),
                                row.getBoolean("over"),
                                row.getLong("left"),
                                WaitRecord.Read.of(row),
                                row.getLong("child"),
                                row.getString("child_kind"),
                                WaitRecord.End.of(row),
                                row.getInt("winner"),
                                row.getString("thrown") == null
                                        ? null
                                        : new WaitRecord.Thrown(row.getString("thrown"), row.getString("problem")),
                                "leave".equals(row.getString("parent_end"))));
                last = Math.max(last, number);
            }
        }
        return read;
    }

    /** What earlier runs have recorded. */
    Collection<WaitRecord> recorded() {
        return all().values();
    }

    /** The same, by the keys with which it is asked for. */
    Map<WaitRecord.Key, WaitRecord> byKey() {
        return all();
    }

    /** From now on what is recorded under the old name is asked for by the new one. */
    void renamed(String old, String name) {
        Map<WaitRecord.Key, WaitRecord> known = all();
        for (WaitRecord each : List.copyOf(known.values())) {
            WaitRecord.Key key = each.key();
            if (!key.name().equals(old)) continue;
            known.remove(key);
            known.putIfAbsent(new WaitRecord.Key(key.type(), name, key.nth()), each);
        }
    }

    /** Writes a record that is closed already, such as of a sleep that no other run has to spend again. */
    void close(WaitRecord.Key key) {
        int number = last() + 1;
        write(SLEPT, key, row -> true, number, key.type().code(), key.name(), key.nth());
        took(number, null);
    }

    private void took(int number, @Nullable String json) {
        if (number > last) room.written(json);
        last = Math.max(last, number);
    }

    /**
     * The end of a wait for a signal.
     *
     * @param signal null: the time was over
     */
    record Taken(WaitRecord.@Nullable Read signal) {}

    /**
     * Ends a wait, if there is a signal or its time is over; null: it has not ended.
     *
     * @param known null: it is a new wait
     * @param atOnce whether a new wait ends at once
     */
    @Nullable
    Taken take(WaitRecord.Key key, @Nullable WaitRecord known, boolean atOnce) {
        int number = known == null ? last() + 1 : known.number();
        Optional<Taken> taken = write(
                TAKE,
                key,
                row -> row.getObject("closed") == null
                        ? Optional.empty()
                        : Optional.of(new Taken(WaitRecord.Read.of(row))),
                number,
                key.name(),
                key.nth(),
                atOnce);
        if (taken.isPresent()) took(number, null);
        return taken.orElse(null);
    }

    /** When the database looked first whether a wait ends: what happens from then on ends it, however late the wait is written. */
    static final class Look {
        @Nullable
        String at;
    }

    /**
     * The first of several that a job waits for.
     *
     * @param winner which one, from 1
     * @param signal or event; null unless it is one
     * @param end of a job that is no child; null unless it is one
     */
    record First(int winner, WaitRecord.@Nullable Read signal, WaitRecord.@Nullable End end) {}

    /**
     * Ends a wait for the first of several; null: none has ended.
     *
     * @param known null: it is a new wait
     * @throws IllegalArgumentException if there is no job of one of those ids
     */
    @Nullable
    First takeAny(WaitRecord.Key key, @Nullable WaitRecord known, FirstOfWaits.Arguments all) {
        int number = known == null ? last() + 1 : known.number();
        Optional<First> taken = written(
                TAKE_ANY,
                key,
                row -> {
                    all.look.at = row.getString("looked");
                    if (row.getObject("closed") != null)
                        return Optional.of(
                                new First(row.getInt("winner"), WaitRecord.Read.of(row), WaitRecord.End.of(row)));
                    if (row.getObject("unknown") != null) throw noSuchJob(row.getLong("unknown"));
                    return Optional.empty();
                },
                new AnyTake(
                        batch.node(),
                        batch.token(),
                        job.id(),
                        job.kind(),
                        number,
                        key.name(),
                        key.nth(),
                        all.signals,
                        all.children,
                        all.others,
                        all.topics,
                        all.keys,
                        all.filters,
                        all.onlyNew,
                        all.look.at,
                        all.time,
                        all.micros,
                        all.micros == 0));
        if (taken.isPresent()) took(number, null);
        return taken.orElse(null);
    }

    /**
     * The parameters of {@code job_event_take} in {@code wait.sql}.
     *
     * @param token of the claim
     * @param number of the record if the wait is a new one
     * @param nth which of this topic
     * @param filter JSON that the payload contains, or null
     * @param onlyNew whether events of before a new wait do not count
     * @param atOnce whether a new wait ends at once
     */
    private record EventTake(
            int node,
            long token,
            long job,
            String kind,
            int number,
            String topic,
            int nth,
            String key,
            @Nullable String filter,
            boolean onlyNew,
            boolean atOnce) {}

    /** As {@link #take}, for an event. */
    @Nullable
    Taken takeEvent(WaitRecord.Key key, @Nullable WaitRecord known, EventWait<?> event, Look look, boolean atOnce) {
        int number = known == null ? last() + 1 : known.number();
        Optional<Taken> taken = written(
                TAKE_EVENT,
                key,
                row -> {
                    look.at = row.getString("looked");
                    return row.getObject("closed") == null
                            ? Optional.empty()
                            : Optional.of(new Taken(WaitRecord.Read.of(row)));
                },
                new EventTake(
                        batch.node(),
                        batch.token(),
                        job.id(),
                        job.kind(),
                        number,
                        key.name(),
                        key.nth(),
                        event.key(),
                        event.filter(),
                        event.isOnlyNew(),
                        atOnce));
        if (taken.isPresent()) took(number, null);
        return taken.orElse(null);
    }

    /**
     * The parameters of {@code wait_take_job} in {@code wait.sql}.
     *
     * @param token of the claim
     * @param number of the record if the wait is a new one
     * @param nth which of this name
     * @param target the job that is waited for
     * @param micros how long a new wait may last
     * @param atOnce whether a new wait ends at once
     */
    private record JobTake(
            int node,
            long token,
            long job,
            String kind,
            int number,
            String name,
            int nth,
            long target,
            long micros,
            boolean atOnce) {}

    /**
     * The end of a wait for another job.
     *
     * @param end null: the time was over
     */
    record Ended(WaitRecord.@Nullable End end) {}

    /**
     * Ends a wait for that job, if it has ended or the time is over; null: the end of the job is going to be told.
     *
     * @param known null: it is a new wait
     * @param micros how long a new one may last
     * @throws IllegalArgumentException if there is no such job
     */
    @Nullable
    Ended takeJob(WaitRecord.Key key, @Nullable WaitRecord known, long id, long micros) {
        int number = known == null ? last() + 1 : known.number();
        Optional<Ended> ended = written(
                TAKE_JOB,
                key,
                row -> {
                    if (row.getObject("closed") != null) return Optional.of(new Ended(WaitRecord.End.of(row)));
                    if (!row.getBoolean("known")) throw noSuchJob(id);
                    return Optional.empty();
                },
                new JobTake(
                        batch.node(),
                        batch.token(),
                        job.id(),
                        job.kind(),
                        number,
                        key.name(),
                        key.nth(),
                        id,
                        micros,
                        micros == 0));
        if (ended.isPresent()) took(number, null);
        return ended.orElse(null);
    }

    private IllegalArgumentException noSuchJob(long id) {
        return new IllegalArgumentException("there is no job " + id + " for which job " + job.id()
                + " could wait: it has been deleted, or there was none");
    }

    /** The failure of a child is about to be thrown; false: the child was brought back meanwhile. */
    boolean seen(WaitRecord child) {
        try (TransactionSession session = source.statementSession();
                PreparedStatement statement = SEEN.prepare(session.connection(), child.child());
                ResultSet row = statement.executeQuery()) {
            return row.next();
        } catch (SQLException e) {
            throw new JobsException(
                    "the end of child \"" + child.key().name() + "\" of job " + job.id() + " cannot be read: "
                            + SqlErrorText.of(e),
                    e);
        }
    }

    /** So many records more were written, which this run does not ask for. */
    void written(int count) {
        for (int i = 0; i < count; i++) took(last() + 1, null);
    }

    /** Records that were written in a transaction which is committed. */
    void added(Collection<WaitRecord> written) {
        for (WaitRecord each : written) {
            all().put(each.key(), each);
            if (each.key().nth() == 1) took(each.number(), null);
            last = Math.max(last, each.number());
        }
    }

    /** A wait goes on whose signal cannot be read. */
    void setAside(WaitRecord.Key key, long signal, String problem) {
        write(SET_ASIDE, key, row -> true, signal, problem);
    }

    /** The job fails for good because of a record, which it does not have when it is retried. */
    void fail(WaitRecord.Key key) {
        write(FAIL, key, row -> true, key.type().code(), key.name(), key.nth());
    }

    /** Reads the row with which a statement answers while the node has the job. */
    private interface Answer<T> {
        T of(ResultSet row) throws SQLException;
    }

    private <T> T write(Sql sql, WaitRecord.Key key, Answer<T> answer, Object... values) {
        return written(
                sql,
                key,
                answer,
                Stream.concat(Stream.of(batch.node(), batch.token(), job.id(), job.kind()), Arrays.stream(values))
                        .toArray());
    }

    private <T> T written(Sql sql, WaitRecord.Key key, Answer<T> answer, Object... all) {
        String what = key.type().code() + " \"" + key.name() + "\" of job " + job.id();
        try {
            for (int look = 0; look < LOOKS; look++)
                try (TransactionSession session = source.statementSession();
                        PreparedStatement statement = sql.prepare(session.connection(), all);
                        ResultSet row = statement.executeQuery()) {
                    if (row.next()) return answer.of(row);
                }
        } catch (SQLException e) {
            throw new JobsException(what + " is not recorded: " + SqlErrorText.of(e), e);
        }
        throw new JobsException(
                what + " is not recorded: the node does not have the job any more, and another run may have begun");
    }
}
