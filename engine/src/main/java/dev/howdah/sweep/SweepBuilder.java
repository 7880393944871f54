package dev.howdah.sweep;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.options.NodeOptions;
import dev.howdah.internal.text.NameText;
import dev.howdah.spi.Metrics;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.sweep.internal.control.Backpressure;
import dev.howdah.sweep.internal.control.WorkingHours;
import dev.howdah.sweep.internal.run.SweepStarter;
import dev.howdah.sweep.internal.store.SweepDefinition;
import dev.howdah.sweep.internal.work.BatchProcessor;
import dev.howdah.sweep.internal.work.HandlerBatch;
import dev.howdah.sweep.internal.work.RowByRow;
import dev.howdah.sweep.internal.work.SqlBatch;
import dev.howdah.sweep.internal.work.WorkerConfig;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The definition of a sweep and the settings of its workers in this process. Not safe for use by many threads. */
public final class SweepBuilder {
    private final NodeOptions options;
    private @Nullable String name;
    private @Nullable String table;
    private @Nullable String where;
    private List<String> key = List.of();
    private @Nullable String order;
    private @Nullable String run;
    private @Nullable String mark;
    private @Nullable String sql;
    private @Nullable BatchProcessor work;
    private int batch = 100;
    private int workers = 4;
    private RetryPolicy retries = RetryPolicy.linear(Duration.ofSeconds(10), 3);
    private int mostFailures = 1_000;
    private long mostFailed;
    private @Nullable Duration maxOutage;
    private @Nullable Double throttle;
    private @Nullable String hours;
    private boolean force;
    private boolean again;
    private boolean retryFailed;
    private @Nullable Duration lag;
    private boolean maintenance;
    private @Nullable String suffering;

    SweepBuilder(DataSource source) {
        this.options = new NodeOptions(source);
    }

    /**
     * Sets the data source of the kept connections: one for each worker and two more. Defaults to the data source of
     * {@link Sweep#on}. If that is a small pool, or a pooler that lends sessions for a transaction only, use one
     * without a pool that reaches the server itself.
     */
    public SweepBuilder sessionDataSource(DataSource direct) {
        options.sessions(direct);
        return this;
    }

    /**
     * Sets the name of the sweep. A process that starts a sweep of the same name joins it.
     *
     * @param text 1 to 200 characters
     * @throws IllegalArgumentException if the name is empty or longer, or has a control character
     */
    public SweepBuilder name(String text) {
        if (text.isEmpty() || text.length() > 200 || text.indexOf('\0') >= 0)
            throw new IllegalArgumentException(
                    "a sweep needs a name of 1 to 200 characters, not: \"" + text.replace("\0", "\\0") + "\"");
        name = NameText.check("the name of a sweep", text);
        return this;
    }

    /**
     * Sets the table, or a view, by its name as PostgreSQL parses it; with its schema, if that is not in the search_path.
     */
    public SweepBuilder table(String text) {
        table = text;
        return this;
    }

    /**
     * Sets the condition of the rows that are still to do. It is SQL of yours and becomes part of statements as it is:
     * never build it from input of users. {@code :started} in it stands for the time at which the sweep began, the same
     * in all processes.
     */
    public SweepBuilder where(String condition) {
        where = condition;
        return this;
    }

    /** Sets the key: one to eight columns, unique and never NULL. */
    public SweepBuilder key(String... columns) {
        if (columns.length < 1 || columns.length > 8)
            throw new IllegalArgumentException("a key has 1 to 8 columns, not " + columns.length);
        key = List.of(columns);
        return this;
    }

    /**
     * Sets the approximate order of the rows; {@code DESC} behind the column reverses it. Defaults to the key. An index
     * on this column and the key has to exist.
     */
    public SweepBuilder orderBy(String column) {
        order = column;
        return this;
    }

    /**
     * Stamps the rows that match when the sweep begins with the number of the run, in this column of the table, an
     * integer or a bigint; only these are processed. For an order that no index has together with the condition: an
     * index on this column, the column of the order and the key serves. A column can be used by one sweep at a time.
     */
    public SweepBuilder runColumn(String column) {
        run = column;
        return this;
    }

    /** As {@link #runColumn}, for a table without such a column: the stamps are rows of {@code howdah_internal.sweep_run}. */
    public SweepBuilder runTable() {
        run = SweepDefinition.STAMPS;
        return this;
    }

    /**
     * Sets the assignments that mark a row as done, as in UPDATE ... SET: {@code last_mail_at = now()}. They have to
     * make the condition false. Optional if the work is SQL that does so itself. {@code :started} is as in {@link
     * #where}.
     */
    public SweepBuilder mark(String assignments) {
        mark = assignments;
        return this;
    }

    /** Sets the maximum batch size. Defaults to 100. Slow work makes batches smaller. */
    public SweepBuilder batch(int rows) {
        if (rows < 1 || rows > 10_000)
            throw new IllegalArgumentException("batches of " + rows + " rows: it has to be 1 to 10000");
        batch = rows;
        return this;
    }

    /** Sets the number of workers in this process, each with a connection of its own. Defaults to 4. */
    public SweepBuilder workers(int count) {
        if (count < 1 || count > 1_000) throw new IllegalArgumentException(count + " workers: it has to be 1 to 1000");
        workers = count;
        return this;
    }

    /**
     * Limits the rows per second of all processes together, also of those that have joined before. Defaults to the
     * value that was set before, or no limit.
     */
    public SweepBuilder maxRowsPerSecond(double rowsPerSecond) {
        if (!(rowsPerSecond > 0))
            throw new IllegalArgumentException(
                    "a throttle of " + rowsPerSecond + " rows a second: it has to be more than 0");
        throttle = rowsPerSecond;
        return this;
    }

    /**
     * Begins no rows while the slowest standby is farther behind than that. The role has to see it: {@code GRANT pg_monitor}.
     */
    public SweepBuilder maxReplicationLag(Duration time) {
        if (time.isNegative() || time.isZero())
            throw new IllegalArgumentException("a replication lag of " + time + ": it has to be more than 0");
        lag = time;
        return this;
    }

    /** Begins no rows while VACUUM or ANALYZE, automatic or not, or the like works on the table. */
    public SweepBuilder yieldToMaintenance() {
        maintenance = true;
        return this;
    }

    /** Begins no rows while this query returns true, or fails. It runs once a second, with a timeout of 0.9 seconds. */
    public SweepBuilder backOffWhile(String query) {
        suffering = query;
        return this;
    }

    /**
     * Sets the retry policy: whether a row that has failed is tried again, and after which delay. Until then the row is skipped. A policy
     * that throws, or returns a negative delay, fails the row for good. Defaults to {@link RetryPolicy#linear linear}: 3 attempts, 10 seconds
     * after the first and 20 after the second.
     */
    public SweepBuilder retries(RetryPolicy policy) {
        retries = Objects.requireNonNull(policy, "a retry policy is needed, not null");
        return this;
    }

    /**
     * Sets how many rows in a row may fail their first attempt in this process before the sweep fails for all
     * processes. Defaults to 1000; 0 is no limit. The other rows keep their attempts, and a start continues the sweep.
     */
    public SweepBuilder maxFailures(int inARow) {
        if (inARow < 0) throw new IllegalArgumentException("at most " + inARow + " failures: it has to be 0 or more");
        mostFailures = inARow;
        return this;
    }

    /**
     * Sets how many rows may fail for good, all processes together, before the sweep fails for all of them. Rows that are
     * in work at that moment are finished. Defaults to 0, no limit. A start with {@link #retryFailed}, or with a higher
     * limit, continues the sweep.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public SweepBuilder maxFailedRows(long inAll) {
        if (inAll < 0) throw new IllegalArgumentException("at most " + inAll + " failed rows: it has to be 0 or more");
        mostFailed = inAll;
        return this;
    }

    /**
     * Sets how long the receiver of rows may be unavailable without a break before this process leaves the sweep: {@link Sweep#join}
     * throws a {@link SweepOutageException}. Rows keep their attempts, other processes continue, and a start goes on. Time in which the
     * sweep is paused, or in which nothing begins for another reason, does not count. Defaults to no limit.
     *
     * @throws IllegalArgumentException if it is 0 or negative
     * @see ReceiverUnavailableException
     */
    public SweepBuilder maxOutage(Duration time) {
        if (time.isNegative() || time.isZero())
            throw new IllegalArgumentException("an outage of at most " + time + ": it has to be more than 0");
        maxOutage = time;
        return this;
    }

    /**
     * Begins rows at these times of the day only, in all processes, also in those that have joined before: {@code
     * 22:00-06:00 Europe/Berlin}; several with commas, {@code 12:00-13:00, 22:00-06:00 Europe/Berlin}. Rows that are in work at
     * the end are finished. The clock is that of the database, the rules of the time zone are those of Java: times that clocks leave out in
     * spring do not come, those that come twice in autumn count twice. {@code always} takes the hours away. Defaults to the value that
     * was set before, or any time.
     *
     * @throws IllegalArgumentException if the text is not like this, or there is no such time zone
     */
    public SweepBuilder between(String text) {
        hours = WorkingHours.checked(text);
        return this;
    }

    /**
     * Sets the shutdown timeout: how long {@link Sweep#close} waits for rows in work. Defaults to 30 seconds.
     *
     * @throws IllegalArgumentException if it is negative or longer than a thousand years
     */
    public SweepBuilder shutdownTimeout(Duration time) {
        options.shutdownTimeout(time);
        return this;
    }

    /** Starts the sweep although the table has no useful index, or its key is not known to be unique. */
    public SweepBuilder force() {
        force = true;
        return this;
    }

    /**
     * Begins a new run if the sweep of that name has ended (done, stopped or failed): {@code :started} is now, counts
     * begin at 0, and rows that have failed are tried again. For a sweep of each night or week. A sweep that runs or is
     * paused is joined as it is, so several processes may do this at the same time.
     */
    public SweepBuilder again() {
        again = true;
        return this;
    }

    /** Retries rows that have failed before, as {@link Sweeps#retryFailed} does. */
    public SweepBuilder retryFailed() {
        retryFailed = true;
        return this;
    }

    /**
     * Sets the receiver of metrics: attempts of rows that ended in this process, and the time of batches. Defaults to none. The manual lists
     * their names.
     */
    public SweepBuilder metrics(Metrics to) {
        options.metrics(to);
        return this;
    }

    /**
     * Sets the name of this process in progress reports. Defaults to its process id.
     *
     * @throws IllegalArgumentException if it is empty, longer than 200 characters, or has a control character
     */
    public SweepBuilder nodeName(String text) {
        options.name(text);
        return this;
    }

    /**
     * Calls the handler for each row, then marks the row: at least once. A row in work when the program crashes is
     * processed again. An exception or error, of the JVM included, is the failure of that row, except a {@link
     * ReceiverUnavailableException}.
     */
    public SweepBuilder forEachRow(RowHandler handler) {
        return work(RowByRow.of(handler));
    }

    /** Calls the handler for each row in the transaction that marks it: exactly once. */
    public SweepBuilder forEachRowInTransaction(TransactionalRowHandler handler) {
        return work(RowByRow.inTransaction(handler));
    }

    /** Calls the handler for batches of rows, then marks them: at least once. */
    public SweepBuilder forEachBatch(BatchHandler handler) {
        return work(HandlerBatch.of(handler));
    }

    /**
     * Calls the handler for batches of rows, and marks those that are done: at least once. The handler tells which rows
     * are done, have failed, or are to be sent later, so that one of them does not fail the others.
     */
    public SweepBuilder forEachBatchWithResults(BatchResultHandler handler) {
        return work(new HandlerBatch(handler));
    }

    /**
     * Runs one statement for each batch, in the transaction that marks it: exactly once. In the statement {@code batch}
     * is a table of the rows: {@code INSERT INTO mail SELECT id, email FROM batch}.
     */
    public SweepBuilder sql(String statement) {
        sql = statement;
        return work(new SqlBatch());
    }

    private SweepBuilder work(BatchProcessor what) {
        if (work != null) throw new IllegalArgumentException("it has been said already what is to be done to rows");
        work = what;
        return this;
    }

    /**
     * Starts the sweep, or joins the one of that name, and returns. Without work rows are only marked. A sweep that was
     * stopped, has failed or is done continues with its own {@code :started}; {@link #again} begins a new run.
     *
     * @throws SweepException if a setting is missing, the database refuses it, or a sweep of that name has another definition
     */
    public Sweep start() {
        String called = need(name, "a name (named)");
        SweepStarter.Started started = launch(called).start();
        return new Sweep(options.source(), called, started.run(), options.shutdownTimeout(), started.doneBefore());
    }

    /**
     * Returns what {@link #start} would do, and changes nothing. If a sweep of that name would be continued, {@code
     * :started} is that sweep's.
     *
     * @throws SweepException if a setting is missing, or PostgreSQL refuses the SQL
     */
    public SweepPlan dryRun() {
        return launch(name == null ? "" : name).dryRun();
    }

    private SweepStarter launch(String called) {
        ConnectionSource kept = options.sessions();
        return new SweepStarter(
                kept,
                called,
                definition(),
                work == null ? new SqlBatch() : work,
                new WorkerConfig(
                        options.name(),
                        workers,
                        batch,
                        retries,
                        mostFailures,
                        mostFailed,
                        maxOutage,
                        options.metrics()),
                new Backpressure(lag, maintenance, suffering),
                new SweepStarter.Options(throttle, hours, force, again, retryFailed, kept == options.source()));
    }

    private SweepDefinition definition() {
        if (mark == null && sql == null)
            throw new SweepException(
                    "nothing says how a row is marked as done: give it a mark, such as last_mail_at = now()");
        return new SweepDefinition(
                need(table, "a table"),
                need(where, "a condition that says what is to do (where)"),
                needKey(),
                order,
                mark,
                sql,
                run);
    }

    private List<String> needKey() {
        if (key.isEmpty()) throw new SweepException("the sweep needs a key");
        return key;
    }

    private static String need(@Nullable String value, String what) {
        if (value == null || value.isBlank()) throw new SweepException("the sweep needs " + what);
        return value;
    }
}
