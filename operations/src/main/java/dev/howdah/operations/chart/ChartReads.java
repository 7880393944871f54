package dev.howdah.operations.chart;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.operations.read.ReadException;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Reads what charts are drawn from. Safe for use by many threads. */
public final class ChartReads {
    private static final SqlFile FILE = SqlFile.of(ChartReads.class, "chart.sql");
    private static final Sql THROUGHPUT = FILE.statement("stat_throughput");
    private static final Sql THROUGHPUT_OF_TAG = FILE.statement("stat_throughput_of_tag");
    private static final Sql BACKLOG = FILE.statement("stat_backlog");
    private static final Sql WAITS = FILE.statement("stat_wait_counts");

    private static final Sql ERRORS = FILE.statement("job_error_courses");
    private static final Sql ERROR = FILE.statement("job_error_text");
    private static final Sql SWEEP = FILE.statement("sweep_course");
    private static final Sql VERSIONS = FILE.statement("node_versions");

    /** Errors are added up by so many seconds. */
    private static final int SLOT = 600;

    private static final double MOST = 0.95;

    private final ConnectionSource source;

    public ChartReads(DataSource source, String schema) {
        this.source = ConnectionSource.of(source).in(SchemaName.of(schema));
    }

    private record Level(Instant time, Backlog backlog, boolean isEnd) {}

    /**
     * Jobs over time: a point for each step, the oldest first.
     *
     * @param queue null: of all queues
     * @param kind null: of all kinds
     */
    public List<JobPoint> jobs(ChartRange range, Instant now, @Nullable String queue, @Nullable String kind) {
        int step = (int) range.step().toSeconds();
        long first = range.begin(now).getEpochSecond();
        Map<Instant, Level> levels = new HashMap<>();
        for (Level each : list(BACKLOG, ChartReads::level, step, first, queue, kind)) levels.put(each.time(), each);
        Map<Instant, WaitCounts> waits = new HashMap<>();
        list(
                        WAITS,
                        row -> Map.entry(time(row, "time"), new WaitCounts(numbers(row, "counts"))),
                        step,
                        first,
                        queue,
                        kind)
                .forEach(each -> waits.put(each.getKey(), each.getValue()));
        return points(range, now, throughput(range, queue, kind), levels, waits);
    }

    /** The same of the jobs of a tag that is counted: how many ended. */
    public List<JobPoint> jobsOfTag(ChartRange range, Instant now, String tag) {
        List<ThroughputPoint> ended = list(
                THROUGHPUT_OF_TAG,
                ChartReads::ended,
                (int) range.step().toSeconds(),
                (int) range.last().toSeconds(),
                tag);
        return points(range, now, ended, Map.of(), Map.of());
    }

    private record ErrorRow(
            String pattern, Instant first, @Nullable ErrorPoint point) {}

    /**
     * The errors of failed jobs over time, those of which something is known.
     *
     * @param patterns null: of all errors
     * @param queue null: of all queues
     * @param kind null: of all kinds
     */
    public Map<String, ErrorCourse> errors(
            ChartRange range,
            Instant now,
            @Nullable List<String> patterns,
            @Nullable String queue,
            @Nullable String kind) {
        Map<String, ErrorCourse> courses = new LinkedHashMap<>();
        for (ErrorRow each : list(
                ERRORS,
                ChartReads::error,
                Math.max((int) range.step().toSeconds(), SLOT),
                range.begin(now).getEpochSecond() - SLOT + 1,
                patterns == null ? null : patterns.toArray(String[]::new),
                queue,
                kind)) {
            ErrorPoint point = each.point();
            courses.merge(
                    each.pattern(),
                    new ErrorCourse(each.first(), point == null ? List.of() : List.of(point)),
                    (one, other) -> new ErrorCourse(
                            one.first(),
                            Stream.concat(one.points().stream(), other.points().stream())
                                    .toList()));
        }
        return courses;
    }

    /**
     * The text of an error that failed jobs had in the last weeks, without what differs from job to job.
     *
     * @param id its digest, 32 hexadecimal digits
     */
    public Optional<String> error(String id) {
        return list(ERROR, row -> Objects.requireNonNull(row.getString("pattern")), id).stream()
                .findFirst();
    }

    private static ErrorRow error(ResultSet row) throws SQLException {
        OffsetDateTime time = row.getObject("time", OffsetDateTime.class);
        return new ErrorRow(
                Objects.requireNonNull(row.getString("pattern")),
                time(row, "first"),
                time == null ? null : new ErrorPoint(time.toInstant(), row.getLong("jobs")));
    }

    /** A sweep over time; steps in which it did not run are left out. */
    public List<SweepPoint> sweep(ChartRange range, Instant now, String name) {
        return list(
                SWEEP,
                row -> new SweepPoint(time(row, "time"), row.getLong("done"), row.getLong("failed")),
                (int) range.step().toSeconds(),
                range.begin(now).getEpochSecond(),
                name);
    }

    /** When versions of nodes began, the last one first; in a database with tables of jobs or processes. */
    public List<Deployment> deployments(ChartRange range) {
        return list(
                VERSIONS,
                row -> new Deployment(
                        time(row, "time"),
                        Objects.requireNonNull(row.getString("version")),
                        Objects.requireNonNull(row.getString("before")),
                        Objects.requireNonNull(row.getString("name"))),
                (int) range.last().toSeconds());
    }

    /** The jobs that ended; steps without any are left out. */
    public List<ThroughputPoint> throughput(ChartRange range, @Nullable String queue, @Nullable String kind) {
        return list(
                THROUGHPUT,
                ChartReads::ended,
                (int) range.step().toSeconds(),
                (int) range.last().toSeconds(),
                queue,
                kind);
    }

    private static List<JobPoint> points(
            ChartRange range,
            Instant now,
            List<ThroughputPoint> throughput,
            Map<Instant, Level> levels,
            Map<Instant, WaitCounts> waits) {
        Map<Instant, ThroughputPoint> ended = new HashMap<>();
        for (ThroughputPoint each : throughput) ended.put(each.time(), each);
        WaitCounts none = new WaitCounts(List.of());
        List<JobPoint> points = new ArrayList<>();
        for (int i = 0; i < range.steps(); i++) {
            Instant time = range.begin(now).plus(range.step().multipliedBy(i));
            ThroughputPoint out = ended.getOrDefault(time, ThroughputPoint.none(time));
            Level level = levels.get(time);
            Level before = levels.get(time.minus(range.step()));
            WaitCounts waited = waits.getOrDefault(time, none);
            points.add(new JobPoint(
                    time,
                    added(before, level, out),
                    out,
                    level == null ? null : level.backlog(),
                    waited.within(0.5),
                    waited.within(MOST)));
        }
        return points;
    }

    /** What came is what ended, and what the backlog has grown by. */
    private static @Nullable Long added(@Nullable Level before, @Nullable Level level, ThroughputPoint ended) {
        if (before == null || level == null || !before.isEnd() || !level.isEnd()) return null;
        if (!before.backlog().isAll() || !level.backlog().isAll()) return null;
        return Math.max(0, level.backlog().jobs() - before.backlog().jobs() + ended.done() + ended.failed());
    }

    private static Level level(ResultSet row) throws SQLException {
        OffsetDateTime oldest = row.getObject("oldest", OffsetDateTime.class);
        return new Level(
                time(row, "time"),
                new Backlog(
                        row.getLong("due"),
                        row.getLong("later"),
                        row.getLong("running"),
                        oldest == null ? null : oldest.toInstant(),
                        row.getBoolean("is_all")),
                row.getBoolean("is_end"));
    }

    private static ThroughputPoint ended(ResultSet row) throws SQLException {
        return new ThroughputPoint(
                time(row, "time"),
                row.getLong("done"),
                row.getLong("retried"),
                row.getLong("failed"),
                Duration.of(row.getLong("run_micros"), ChronoUnit.MICROS),
                Duration.of(row.getLong("run_max_micros"), ChronoUnit.MICROS));
    }

    private interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    private <T> List<T> list(Sql sql, Reader<T> reader, @Nullable Object... values) {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = sql.prepare(connection, values);
                ResultSet rows = statement.executeQuery()) {
            List<T> all = new ArrayList<>();
            while (rows.next()) all.add(reader.read(rows));
            return all;
        } catch (SQLException e) {
            throw new ReadException(e);
        }
    }

    private static Instant time(ResultSet row, String column) throws SQLException {
        return Objects.requireNonNull(row.getObject(column, OffsetDateTime.class), column)
                .toInstant();
    }

    private static List<Long> numbers(ResultSet row, String column) throws SQLException {
        Array array = Objects.requireNonNull(row.getArray(column), column);
        return Arrays.asList((Long[]) array.getArray());
    }
}
