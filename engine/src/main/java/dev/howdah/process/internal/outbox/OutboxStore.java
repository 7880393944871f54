package dev.howdah.process.internal.outbox;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.doorbell.SleepLock;
import dev.howdah.internal.sql.AdvisoryLock;
import dev.howdah.internal.sql.Sql;
import dev.howdah.process.Payload;
import dev.howdah.process.internal.step.NamespaceSlots;
import dev.howdah.process.internal.store.ProcessRows;
import dev.howdah.process.internal.store.ProcessSql;
import dev.howdah.process.notice.Notice;
import dev.howdah.process.notice.NoticeBacklog;
import dev.howdah.spi.PayloadCodec;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * The outbox of one namespace: the notices to publish, read and deleted in a session of its own.
 *
 * <p>Notices that have arrived are deleted, and what is deleted lies at the beginning of the index for as long as a session has an old
 * snapshot. So reading begins behind the {@code floor}: up to there nothing will appear any more. Numbers are given while their writers hold
 * locks, so in transactions that are older than the one that deletes what was read. When no transaction is left that is as old as that one, whatever has
 * a smaller number than what was read then has been seen.
 */
public final class OutboxStore implements AutoCloseable {
    private static final SleepLock SLEEP_LOCK = new SleepLock(AdvisoryLock.OUTBOX_ASLEEP);
    private static final Sql LAG = ProcessSql.OUTBOX.statement("outbox_lag");
    private static final Sql LOCK = ProcessSql.OUTBOX.statement("outbox_lock");
    private static final Sql NEXT = ProcessSql.OUTBOX.statement("outbox_next");
    private static final Sql ARRIVED = ProcessSql.OUTBOX.statement("outbox_arrived");
    private static final Sql HOLD = ProcessSql.OUTBOX.statement("outbox_hold");
    private static final Sql SET_ASIDE = ProcessSql.OUTBOX.statement("outbox_set_aside");
    private static final Sql RELEASE = ProcessSql.OUTBOX.statement("outbox_release");
    private static final Sql ALIVE = ProcessSql.OUTBOX.statement("outbox_alive");

    /** So many at a time, of so many bytes together unless the first one is larger. */
    private static final int MOST = 500;

    private static final long MOST_BYTES = 16L << 20;

    /** A relay that is silent for so long is frozen or cut off: another node takes over. */
    private static final int SILENCE_MILLIS = 30_000;

    private final DedicatedSession session;
    private final NamespaceSlots served;
    private final PayloadCodec codec;
    private long floor;
    /** What had been read up to there when that transaction deleted it; 0: nothing is known. */
    private long read;

    private long reader;
    /** Where the floor will be when the last batch is dealt with. */
    private long nextFloor;

    /** @param notices to be told, in their order
     * @param aside those of processes of which an earlier one is held
     */
    public record Batch(List<Notice> notices, List<Long> aside) {
        public boolean isEmpty() {
            return notices.isEmpty() && aside.isEmpty();
        }
    }

    /** A notice that will never be taken, and why. */
    record Refused(Notice notice, String reason) {}

    private OutboxStore(DedicatedSession session, NamespaceSlots served, PayloadCodec codec) {
        this.session = session;
        this.served = served;
        this.codec = codec;
    }

    public static OutboxStore open(ConnectionSource source, NamespaceSlots served, PayloadCodec codec)
            throws SQLException {
        DedicatedSession opened = new DedicatedSession(source.forListening().getConnection());
        try (Statement statement = opened.connection().createStatement()) {
            opened.endWhenSilent(SILENCE_MILLIS);
            statement.execute("LISTEN howdah_process_outbox");
            return new OutboxStore(opened, served, codec);
        } catch (SQLException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    /** Returns whether this session is the one that tells. */
    boolean lock() throws SQLException {
        try (ResultSet row = session.query(LOCK, served.id())) {
            return row.next() && row.getBoolean(1);
        }
    }

    /** What is to be told next, but of these processes. */
    public Batch next(Collection<String> without) throws SQLException {
        List<Notice> notices = new ArrayList<>();
        List<Long> aside = new ArrayList<>();
        long last = Long.MAX_VALUE;
        long oldest = 0;
        try (ResultSet row =
                session.query(NEXT, served.id(), floor, MOST, MOST_BYTES, without.toArray(String[]::new))) {
            while (row.next()) {
                last = row.getLong(1);
                oldest = row.getLong(10);
                if (row.getBoolean(9)) aside.add(last);
                else notices.add(notice(row));
            }
        }
        nextFloor = read > 0 && oldest > reader && without.isEmpty() ? Math.min(read, last) : floor;
        return new Batch(notices, aside);
    }

    private Notice notice(ResultSet row) throws SQLException {
        byte[] payload = row.getBytes(7);
        return new Notice(
                row.getLong(1),
                served.namespace().name(),
                row.getString(2),
                Notice.Kind.valueOf(row.getString(3).toUpperCase(Locale.ROOT)),
                ProcessRows.time(row, 4),
                ProcessRows.longOrNull(row, 5),
                row.getString(6),
                payload == null ? null : Payload.of(payload, codec),
                ProcessRows.json(row, 8, codec));
    }

    /** Up to there nothing will appear any more. */
    public long floor() {
        return floor;
    }

    /** These are told; nothing is left to be done of the last batch. */
    public void allArrived(List<Notice> notices) throws SQLException {
        long before = floor;
        arrived(notices);
        if (nextFloor <= before) return;
        floor = nextFloor;
        read = 0;
    }

    /** These are told. */
    void arrived(List<Notice> notices) throws SQLException {
        if (notices.isEmpty()) return;
        Long[] ids = notices.stream().map(Notice::id).toArray(Long[]::new);
        try (ResultSet row = session.query(ARRIVED, (Object) ids)) {
            row.next();
            if (read > 0) return;
            read = ids[ids.length - 1];
            reader = row.getLong(1);
        }
    }

    /** One for each process: it is kept until a user decides. */
    void hold(List<Refused> refused) throws SQLException {
        session.update(
                HOLD,
                served.id(),
                refused.stream().map(each -> each.notice().process()).toArray(String[]::new),
                refused.stream().map(each -> each.notice().id()).toArray(Long[]::new),
                refused.stream().map(Refused::reason).toArray(String[]::new));
    }

    /** These are held with it. */
    void setAside(List<Long> notices) throws SQLException {
        if (!notices.isEmpty()) session.update(SET_ASIDE, (Object) notices.toArray(Long[]::new));
    }

    /** Releases notices that a user has decided on; returns whether there were any. */
    boolean release() throws SQLException {
        try (ResultSet row = session.query(RELEASE, served.id())) {
            if (!row.next() || row.getLong(1) == 0) return false;
        }
        floor = 0;
        read = 0;
        return true;
    }

    /** Returns whether writers of notices will ring from now on. */
    boolean fallAsleep() throws SQLException {
        return !SLEEP_LOCK.fallAsleep(session, served.id()).held().isEmpty();
    }

    void wakeUp() throws SQLException {
        SLEEP_LOCK.wakeUp(session, List.of(served.id()));
    }

    /** Waits until it rings for this namespace; false: it has not. */
    boolean awaitRing(long millis) throws SQLException {
        PGConnection listener = session.connection().unwrap(PGConnection.class);
        PGNotification[] rings = listener.getNotifications((int) Math.max(millis, 1));
        if (rings == null) return false;
        String mine = Integer.toString(served.id());
        for (PGNotification each : rings) if (each.getParameter().equals(mine)) return true;
        return false;
    }

    /** Keeps the session, while the publisher takes its time. */
    void stayAlive() throws SQLException {
        session.update(ALIVE);
    }

    /** Ends the session; from another thread, too. */
    @Override
    public void close() {
        session.close();
    }

    /** How much waits, by namespace. */
    public static Map<String, NoticeBacklog> backlogs(Connection connection, Collection<String> names)
            throws SQLException {
        Map<String, NoticeBacklog> found = new HashMap<>();
        try (PreparedStatement statement = LAG.prepare(connection, (Object) names.toArray(String[]::new));
                ResultSet row = statement.executeQuery()) {
            while (row.next())
                found.put(
                        row.getString(1),
                        new NoticeBacklog(
                                row.getLong(2),
                                Duration.ofNanos((long) (row.getDouble(3) * 1e9)),
                                row.getLong(4),
                                row.getLong(5)));
        }
        return found;
    }
}
