package dev.howdah.job.internal.log;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobNames;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.job.internal.store.JobStatements;
import dev.howdah.job.log.LogQueue;
import dev.howdah.job.log.LogQueues;
import dev.howdah.job.log.LogReader;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The statements for log queues. */
public final class LogStatements implements LogQueues {
    private static final Sql MAKE = JobSql.LOG.statement("log_make");
    private static final Sql ADD_READER = JobSql.LOG.statement("log_add_reader");
    private static final Sql SEEK = JobSql.LOG.statement("log_seek_reader");
    private static final Sql DROP_READER = JobSql.LOG.statement("log_drop_reader");
    private static final Sql LIMIT_UNREAD = JobSql.LOG.statement("log_limit_unread");
    private static final Sql FIND = JobSql.LOG.statement("log_queue_find");
    private static final Sql READERS = JobSql.LOG.statement("log_readers");
    private static final long LEAST_UNREAD = 1 << 20;
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final JobStatements statements;

    public LogStatements(ConnectionSource source) {
        this.statements = new JobStatements(source);
    }

    @Override
    public void create(String queue, Duration keep) {
        if (keep.isNegative() || keep.compareTo(LONGEST) > 0)
            throw new IllegalArgumentException("entries kept for " + keep + ": it has to be from 0 to 36500 days");
        statements.run(MAKE, JobNames.checkNew("queue", queue), Durations.micros(keep));
    }

    @Override
    public void limitUnread(String queue, long bytes) {
        if (bytes < LEAST_UNREAD)
            throw new IllegalArgumentException(
                    "at most " + bytes + " bytes unread: it has to be " + LEAST_UNREAD + " or more");
        statements.run(LIMIT_UNREAD, JobNames.check("queue", queue), Long.toString(bytes));
    }

    @Override
    public void unlimitUnread(String queue) {
        statements.run(LIMIT_UNREAD, JobNames.check("queue", queue), null);
    }

    @Override
    public String addReader(String queue, String reader) {
        return added(queue, reader, null);
    }

    @Override
    public String addReader(String queue, String reader, Instant since) {
        return added(queue, reader, since);
    }

    private String added(String queue, String reader, @Nullable Instant since) {
        return statements
                .list(
                        ADD_READER,
                        row -> row.getString(1),
                        JobNames.check("queue", queue),
                        JobNames.checkNew("reader", reader),
                        since == null ? null : since.toString())
                .get(0);
    }

    @Override
    public void seek(String queue, Instant since) {
        statements.run(SEEK, JobNames.check("queue", queue), null, since.toString());
    }

    @Override
    public void seek(String queue, String reader, Instant since) {
        statements.run(SEEK, JobNames.check("queue", queue), JobNames.check("reader", reader), since.toString());
    }

    @Override
    public void dropReader(String queue, String reader) {
        statements.run(DROP_READER, JobNames.check("queue", queue), JobNames.check("reader", reader));
    }

    @Override
    public Optional<LogQueue> find(String queue) {
        if (!JobNames.canBe(queue)) return Optional.empty();
        return statements.list(FIND, LogStatements::queue, queue).stream().findFirst();
    }

    private static LogQueue queue(ResultSet row) throws SQLException {
        return new LogQueue(
                row.getString(1),
                Duration.of(row.getLong(2), ChronoUnit.MICROS),
                row.getObject(3, Long.class),
                List.of((String[]) row.getArray(4).getArray()));
    }

    @Override
    public List<LogReader> readers() {
        return statements.list(READERS, LogStatements::reader);
    }

    private static LogReader reader(ResultSet row) throws SQLException {
        Timestamp oldest = row.getTimestamp(5);
        return new LogReader(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getLong(4),
                oldest == null ? null : oldest.toInstant(),
                row.getLong(6),
                Duration.of(row.getLong(7), ChronoUnit.MICROS),
                row.getLong(8),
                row.getObject(9, Long.class));
    }
}
