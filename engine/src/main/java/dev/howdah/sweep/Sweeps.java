package dev.howdah.sweep;

import dev.howdah.health.Cause;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.health.CauseRows;
import dev.howdah.internal.sql.Sql;
import dev.howdah.sweep.internal.control.WorkingHours;
import dev.howdah.sweep.internal.read.RunStamper;
import dev.howdah.sweep.internal.store.SweepDefinition;
import dev.howdah.sweep.internal.store.SweepSchema;
import dev.howdah.sweep.internal.store.SweepSql;
import dev.howdah.sweep.internal.store.SweepSqlErrors;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The sweeps of a database: to list, pause, stop and remove them. Each method is a transaction of its own. Safe for use by many threads.
 */
public final class Sweeps {
    private static final Sql PROGRESS = SweepSql.SWEEP.statement("sweep_progress");
    private static final Sql WORKERS = SweepSql.SWEEP.statement("sweep_workers");
    private static final Sql ERRORS = SweepSql.SWEEP.statement("sweep_errors");
    private static final Sql ERRORS_AFTER = SweepSql.SWEEP.statement("sweep_errors_after");
    private static final Sql ERRORS_BEFORE = SweepSql.SWEEP.statement("sweep_errors_before");
    private static final Sql HISTORY = SweepSql.SWEEP.statement("sweep_history_of");
    private static final Sql ORDER = SweepSql.SWEEP.statement("sweep_order");
    private static final Sql ERROR_GROUPS = SweepSql.SWEEP.statement("sweep_error_groups");
    private static final Sql THROTTLE = SweepSql.SWEEP.statement("sweep_throttle");
    private static final Sql HOURS = SweepSql.SWEEP.statement("sweep_hours");
    private static final Sql RETRY_FAILED = SweepSql.SWEEP.statement("sweep_retry_failed");
    private static final Sql INSTALLED = SweepSql.SWEEP.statement("sweep_installed");
    private static final Sql WHY = SweepSql.SWEEP.statement("sweep_why");
    private static final Sql REMOVE = SweepSql.SWEEP.statement("sweep_remove");

    private final ConnectionSource source;

    Sweeps(ConnectionSource source) {
        this.source = source;
    }

    /** Returns the sweeps in the database of that data source. */
    public static Sweeps on(DataSource source) {
        return new Sweeps(ConnectionSource.of(source));
    }

    /** Returns the version of the tables of sweeps that this program needs. */
    public static int schemaVersion() {
        return SweepSchema.MIGRATIONS.files().size();
    }

    /** Returns all sweeps in the order of their starts; none if there has never been one. */
    public List<SweepProgress> list() {
        return read(null);
    }

    /**
     * Says why a sweep does not go on.
     *
     * @return the causes that hold, the most important first; never empty
     * @throws SweepException if there are no tables of sweeps
     */
    public List<Cause> why(String name) {
        return with(connection -> {
            if (!isInstalled(connection)) throw new SweepException("there is no sweep named " + name);
            List<Cause> causes = new ArrayList<>();
            try (PreparedStatement statement = WHY.prepare(connection, name);
                    ResultSet row = statement.executeQuery()) {
                while (row.next()) causes.add(CauseRows.cause(row));
            }
            return causes;
        });
    }

    /** Returns the sweep of that name. */
    public Optional<SweepProgress> find(String name) {
        return read(name).stream().findFirst();
    }

    /**
     * Pauses a sweep: within a second its workers begin no further row. Rows that are being worked on are finished.
     *
     * @return false if it was not running
     * @throws SweepException if there is no such sweep
     */
    public boolean pause(String name) {
        return order(name, "paused", "running");
    }

    /**
     * Resumes a paused sweep.
     *
     * @return false if it was not paused
     * @throws SweepException if there is no such sweep
     */
    public boolean resume(String name) {
        return order(name, "running", "paused");
    }

    /**
     * Stops a sweep: within a second all processes leave it when their rows in work are done. A start continues it.
     *
     * @return false if it had ended already
     * @throws SweepException if there is no such sweep
     */
    public boolean stop(String name) {
        return order(name, "stopped", "running", "paused");
    }

    /**
     * Returns rows that have failed, oldest first.
     *
     * @param most the maximum number of rows
     * @throws SweepException if there is no such sweep
     */
    public List<SweepError> errors(String name, int most) {
        return about(name, connection -> {
            try (PreparedStatement statement = ERRORS.prepare(connection, name, most)) {
                return errors(statement);
            }
        });
    }

    /**
     * Returns rows that have failed in the order of their keys, as texts: for reading all of them page by page. A row that fails again
     * meanwhile keeps its place. Reads by an index.
     *
     * @param key of the row after which they begin; null: the first ones
     * @param most the maximum number of rows
     * @throws SweepException if there is no such sweep
     */
    public List<SweepError> errorsAfter(String name, @Nullable List<String> key, int most) {
        return about(name, connection -> {
            String[] after = key == null ? null : key.toArray(String[]::new);
            try (PreparedStatement statement = ERRORS_AFTER.prepare(connection, name, after, most)) {
                return errors(statement);
            }
        });
    }

    /**
     * The same backwards: the row before {@code key} comes first.
     *
     * @param key of the row before which they end
     * @param most the maximum number of rows
     * @throws SweepException if there is no such sweep
     */
    public List<SweepError> errorsBefore(String name, List<String> key, int most) {
        return about(name, connection -> {
            String[] before = key.toArray(String[]::new);
            try (PreparedStatement statement = ERRORS_BEFORE.prepare(connection, name, before, most)) {
                return errors(statement);
            }
        });
    }

    private static List<SweepError> errors(PreparedStatement statement) throws SQLException {
        List<SweepError> errors = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                Timestamp retry = row.getTimestamp(5);
                errors.add(new SweepError(
                        List.of((String[]) row.getArray(1).getArray()),
                        row.getString(2),
                        row.getTimestamp(3).toInstant(),
                        row.getInt(4),
                        retry == null ? null : retry.toInstant()));
            }
        }
        return errors;
    }

    /**
     * Returns the generations of a sweep that were followed by others, the latest first. The last 1,000 are kept until the sweep is
     * {@linkplain #remove removed}. The present one is the sweep {@linkplain #find itself}.
     *
     * @param most the maximum number of generations
     * @throws SweepException if there is no such sweep
     */
    public List<SweepGeneration> history(String name, int most) {
        return about(name, connection -> {
            List<SweepGeneration> generations = new ArrayList<>();
            try (PreparedStatement statement = HISTORY.prepare(connection, name, most);
                    ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    Timestamp ended = row.getTimestamp(4);
                    generations.add(new SweepGeneration(
                            row.getInt(1),
                            SweepState.valueOf(row.getString(2).toUpperCase(Locale.ROOT)),
                            row.getTimestamp(3).toInstant(),
                            ended == null ? null : ended.toInstant(),
                            row.getLong(5),
                            row.getLong(6)));
                }
            }
            return generations;
        });
    }

    /**
     * Returns the errors of up to 10,000 rows that have failed, grouped by their first lines with numbers, ids and quoted parts left out;
     * the largest group first.
     *
     * @param most the maximum number of groups
     * @throws SweepException if there is no such sweep
     */
    public List<SweepErrorGroup> errorGroups(String name, int most) {
        return about(name, connection -> {
            List<SweepErrorGroup> groups = new ArrayList<>();
            try (PreparedStatement statement = ERROR_GROUPS.prepare(connection, name, most);
                    ResultSet row = statement.executeQuery()) {
                while (row.next())
                    groups.add(new SweepErrorGroup(
                            row.getString(1),
                            row.getLong(2),
                            row.getLong(3),
                            row.getTimestamp(4).toInstant(),
                            row.getTimestamp(5).toInstant(),
                            List.of((String[]) row.getArray(6).getArray())));
            }
            return groups;
        });
    }

    /**
     * Limits a sweep to that many rows per second, all processes together, from the next second on. A sweep that has ended keeps the limit
     * for its next start.
     *
     * @param rowsPerSecond 0: no limit
     * @return false if the sweep had that limit already
     * @throws IllegalArgumentException if the limit is negative or no finite number
     * @throws SweepException if there is no such sweep
     */
    public boolean throttle(String name, double rowsPerSecond) {
        if (!(rowsPerSecond >= 0 && rowsPerSecond < Double.POSITIVE_INFINITY))
            throw new IllegalArgumentException(
                    "a limit of " + rowsPerSecond + " rows a second: it has to be more than 0, or 0 for none");
        return about(name, connection -> {
            try (PreparedStatement statement = THROTTLE.prepare(connection, name, rowsPerSecond)) {
                return statement.executeUpdate() == 1;
            }
        });
    }

    /**
     * Sets the times of the day at which a sweep begins rows, as {@link SweepBuilder#between} does; it applies within a second.
     *
     * @param hours {@code always}: at any time
     * @return false if the sweep had those hours already
     * @throws IllegalArgumentException if the text is not like those of {@link SweepBuilder#between}
     * @throws SweepException if there is no such sweep
     */
    public boolean between(String name, String hours) {
        String checked = WorkingHours.checked(hours);
        return about(name, connection -> {
            try (PreparedStatement statement =
                    HOURS.prepare(connection, name, checked.equals(WorkingHours.ALWAYS) ? null : checked)) {
                return statement.executeUpdate() == 1;
            }
        });
    }

    /**
     * Retries rows that have failed, with all their attempts: at once if the sweep runs, else at its next start.
     *
     * @return how many rows will be retried
     * @throws SweepException if there is no such sweep
     */
    public long retryFailed(String name) {
        return about(name, connection -> {
            try (PreparedStatement statement = RETRY_FAILED.prepare(connection, name)) {
                return (long) statement.executeUpdate();
            }
        });
    }

    /**
     * Removes the record of a sweep that has ended, with its errors and its {@linkplain #history history}.
     *
     * @return false if the sweep has not ended
     * @throws SweepException if there is no such sweep
     */
    public boolean remove(String name) {
        return about(name, connection -> {
            try (PreparedStatement statement = REMOVE.prepare(connection, name);
                    ResultSet row = statement.executeQuery()) {
                if (!row.next()) return false;
                RunStamper.drop(connection, row.getInt(1));
                return true;
            }
        });
    }

    private boolean order(String name, String state, String... from) {
        return about(name, connection -> {
            try (PreparedStatement statement = ORDER.prepare(connection, name, state, from)) {
                return statement.executeUpdate() == 1;
            }
        });
    }

    private static boolean isInstalled(Connection connection) throws SQLException {
        return isTrue(connection, INSTALLED);
    }

    private static boolean isTrue(Connection connection, Sql question) throws SQLException {
        try (PreparedStatement statement = question.prepare(connection);
                ResultSet row = statement.executeQuery()) {
            return row.next() && row.getBoolean(1);
        }
    }

    private static void check(Connection connection, String name) throws SQLException {
        if (read(connection, name).isEmpty()) throw new SweepException("there is no sweep named " + name);
    }

    private List<SweepProgress> read(@Nullable String name) {
        return with(connection -> read(connection, name));
    }

    /** Asks about a sweep that there has to be. */
    private <T> T about(String name, Question<T> question) {
        return with(connection -> {
            check(connection, name);
            return question.ask(connection);
        });
    }

    private static List<SweepProgress> read(Connection connection, @Nullable String name) throws SQLException {
        List<SweepProgress> found = new ArrayList<>();
        if (!isInstalled(connection)) return found;
        try (PreparedStatement statement = PROGRESS.prepare(connection, name);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) found.add(progress(connection, row));
        }
        return found;
    }

    private static SweepProgress progress(Connection connection, ResultSet row) throws SQLException {
        List<SweepProgress.Worker> workers = workers(connection, row.getInt(1));
        double rate = workers.stream()
                .mapToDouble(SweepProgress.Worker::rowsPerSecond)
                .sum();
        long total = row.getLong(7);
        if (row.wasNull()) total = -1;
        Timestamp ended = row.getTimestamp(6);
        return new SweepProgress(
                row.getString(2),
                SweepDefinition.read(row.getString(3)),
                SweepState.valueOf(row.getString(4).toUpperCase(Locale.ROOT)),
                row.getTimestamp(5).toInstant(),
                ended == null ? null : ended.toInstant(),
                total,
                row.getBoolean(8),
                row.getLong(9),
                row.getLong(12),
                rate,
                row.getDouble(10),
                row.getString(14),
                row.getString(11),
                workers);
    }

    private static List<SweepProgress.Worker> workers(Connection connection, int sweep) throws SQLException {
        List<SweepProgress.Worker> workers = new ArrayList<>();
        try (PreparedStatement statement = WORKERS.prepare(connection, sweep);
                ResultSet row = statement.executeQuery()) {
            while (row.next())
                workers.add(new SweepProgress.Worker(
                        row.getInt(1),
                        row.getString(2),
                        row.getInt(3),
                        row.getLong(4),
                        row.getLong(5),
                        row.getDouble(6),
                        row.getString(7)));
        }
        return workers;
    }

    private interface Question<T> {
        T ask(Connection connection) throws SQLException;
    }

    private <T> T with(Question<T> question) {
        try (Connection connection = source.getConnection()) {
            return question.ask(connection);
        } catch (SQLException e) {
            throw new SweepException("the database does not say: " + SweepSqlErrors.text(e), e);
        }
    }
}
