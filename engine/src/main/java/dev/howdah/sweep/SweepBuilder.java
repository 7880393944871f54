package dev.howdah.sweep;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.sweep.internal.control.Backpressure;
import dev.howdah.sweep.internal.run.SweepStarter;
import dev.howdah.sweep.internal.store.SweepDefinition;
import dev.howdah.sweep.internal.work.BatchProcessor;
import dev.howdah.sweep.internal.work.HandlerBatch;
import dev.howdah.sweep.internal.work.RowByRow;
import dev.howdah.sweep.internal.work.SqlBatch;
import dev.howdah.sweep.internal.work.WorkerConfig;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** What a sweep does to which rows. Not safe for use by many threads. */
public final class SweepBuilder {
    private final ConnectionSource source;
    private @Nullable ConnectionSource sessions;
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
    private int attempts = 3;
    private int mostFailures = 1_000;
    private Duration skipped = Duration.ofSeconds(10);
    private Duration grace = Duration.ofSeconds(30);
    private @Nullable Double throttle;
    private boolean anyway;
    private boolean again;
    private boolean retryFailed;
    private @Nullable Duration lag;
    private boolean maintenance;
    private @Nullable String suffering;
    private String process = "pid " + ProcessHandle.current().pid();

    SweepBuilder(DataSource source) {
        this.source = ConnectionSource.of(source);
    }

    /**
     * Where the connections come from that are kept while it works: one for each worker and two more. Defaults to the data source
     * of {@link Sweep#on}. For a data source of few connections, or of a pooler that lends sessions for a transaction only:
     * let this one reach the server itself, without a pool.
     */
    public SweepBuilder sessions(DataSource direct) {
        sessions = ConnectionSource.of(direct);
        return this;
    }

    /**
     * Sets the name of the sweep. A process that starts a sweep of the same name joins it.
     *
     * @param text 1 to 200 characters, without the character 0
     * @throws IllegalArgumentException if the name is empty or longer, or has the character 0
     */
    public SweepBuilder named(String text) {
        if (text.isEmpty() || text.length() > 200 || text.indexOf('\0') >= 0)
            throw new IllegalArgumentException(
                    "a sweep needs a name of 1 to 200 characters, not: \"" + text.replace("\0", "\\0") + "\"");
        name = text;
        return this;
    }

    /** The table, or a view of one, as PostgreSQL reads its name; with its schema, if that is not in the search_path. */
    public SweepBuilder table(String text) {
        table = text;
        return this;
    }

    /**
     * Which rows are to do: a condition on the table's columns. It is SQL of yours, and becomes part of statements as it is;
     * {@code :started} in it stands for the moment in which the sweep began, the same for all who join.
     */
    public SweepBuilder where(String condition) {
        where = condition;
        return this;
    }

    /** The column, or the columns, by which a row is known: unique and never NULL. */
    public SweepBuilder key(String... columns) {
        if (columns.length < 1 || columns.length > 8)
            throw new IllegalArgumentException("a key has 1 to 8 columns, not " + columns.length);
        key = List.of(columns);
        return this;
    }

    /**
     * The column by which rows go, about; {@code DESC} behind it turns that round. Defaults to the key. An index on this column
     * and the key has to be there.
     */
    public SweepBuilder orderBy(String column) {
        order = column;
        return this;
    }

    /**
     * Rows that are to do when the sweep begins are stamped first, once: they get the number of the run in that column of the table,
     * an integer or a bigint. Only these are worked on. For an order that no index has together with the condition: one on
     * that column, those of the order and the key serves. The column is of one sweep at a time.
     */
    public SweepBuilder runColumn(String column) {
        run = column;
        return this;
    }

    /** As {@link #runColumn}, where the table has no column for it: the stamps are rows of {@code howdah.sweep_run}. */
    public SweepBuilder runTable() {
        run = SweepDefinition.STAMPS;
        return this;
    }

    /**
     * What marks a row as done, as it stands behind SET in an UPDATE: {@code last_mail_at = now()}. It has to make the condition false. May
     * be left out where the work is SQL that does so itself. {@code :started} is what it is in {@link #where}.
     */
    public SweepBuilder mark(String assignments) {
        mark = assignments;
        return this;
    }

    /** How many rows are taken at a time at most. Defaults to 100. Slow work makes batches smaller. */
    public SweepBuilder batch(int rows) {
        if (rows < 1 || rows > 10_000)
            throw new IllegalArgumentException("batches of " + rows + " rows: it has to be 1 to 10000");
        batch = rows;
        return this;
    }

    /** How many workers this process has, each with a session of its own. Defaults to 4. */
    public SweepBuilder workers(int count) {
        if (count < 1 || count > 1_000) throw new IllegalArgumentException(count + " workers: it has to be 1 to 1000");
        workers = count;
        return this;
    }

    /** At most so many rows a second, all processes together; those who joined before follow. Defaults to what was set before, or none. */
    public SweepBuilder throttle(double rowsPerSecond) {
        if (!(rowsPerSecond > 0))
            throw new IllegalArgumentException(
                    "a throttle of " + rowsPerSecond + " rows a second: it has to be more than 0");
        throttle = rowsPerSecond;
        return this;
    }

    /** Begins nothing while the slowest standby is farther behind than that. The role has to see it: {@code GRANT pg_monitor}. */
    public SweepBuilder maxReplicationLag(Duration time) {
        if (time.isNegative() || time.isZero())
            throw new IllegalArgumentException("a replication lag of " + time + ": it has to be more than 0");
        lag = time;
        return this;
    }

    /** Begins nothing while VACUUM, ANALYZE, automatic or not, or the like are at work on the table. */
    public SweepBuilder yieldToMaintenance() {
        maintenance = true;
        return this;
    }

    /** Begins nothing while this query of yours says true, or fails. It is asked once a second, and has 0.9 seconds. */
    public SweepBuilder backOffWhile(String query) {
        suffering = query;
        return this;
    }

    /**
     * How often a row is tried, and for how long it is skipped after it has failed for the first time; twice as long after the second time,
     * and so on. Default to 3 and 10 seconds.
     */
    public SweepBuilder attempts(int times, Duration skip) {
        if (times < 1 || times > 1_000 || skip.isNegative())
            throw new IllegalArgumentException(
                    times + " attempts, " + skip + " apart: it has to be 1 to 1000, not less than 0 apart");
        attempts = times;
        skipped = skip;
        return this;
    }

    /**
     * How many rows in a row may fail for the first time, in this process and without one between that is done, before the sweep fails for all
     * processes. Defaults to 1000: something else than these rows is wrong then, and the others keep their attempts. 0: any number. Started
     * again, the sweep goes on.
     */
    public SweepBuilder maxFailures(int inARow) {
        if (inARow < 0) throw new IllegalArgumentException("at most " + inARow + " failures: it has to be 0 or more");
        mostFailures = inARow;
        return this;
    }

    /** How long {@link Sweep#close} waits for rows that are in work. Defaults to 30 seconds. */
    public SweepBuilder grace(Duration time) {
        if (time.isNegative()) throw new IllegalArgumentException("a grace of " + time + ": it has to be 0 or more");
        grace = time;
        return this;
    }

    /** Goes on although the table has no index that serves, or its key is not known to be unique. */
    public SweepBuilder anyway() {
        anyway = true;
        return this;
    }

    /**
     * Begins anew if the sweep of that name has ended (it is done, was stopped, or has failed): {@code :started} is now, counts begin at 0,
     * and rows that have failed are tried again. For a sweep that is started each night or each week. One that runs or is paused is joined
     * as it is, so that several processes may do so at the same time.
     */
    public SweepBuilder again() {
        again = true;
        return this;
    }

    /** Tries rows again that have failed before, as {@link Sweeps#retryFailed} does. */
    public SweepBuilder retryFailed() {
        retryFailed = true;
        return this;
    }

    /** What this process is called in progress. Defaults to its number. */
    public SweepBuilder process(String text) {
        process = text;
        return this;
    }

    /**
     * Does this to each row, and then marks it: at least once. A row that is in work when the process dies is worked on again. Whatever is
     * thrown, errors of the JVM included, is that row's failure, but for a {@link ReceiverUnavailableException}.
     */
    public SweepBuilder each(RowHandler handler) {
        return work(RowByRow.of(handler));
    }

    /** Does this to each row in the transaction that marks it: exactly once. */
    public SweepBuilder eachInTransaction(TransactionalRowHandler handler) {
        return work(RowByRow.inTransaction(handler));
    }

    /** Does this to batches of rows, and then marks them: at least once. */
    public SweepBuilder eachBatch(BatchHandler handler) {
        return work(new HandlerBatch(handler));
    }

    /**
     * Does this to each batch, in the transaction that marks it: exactly once. It is one statement of yours, in which {@code batch} is
     * a table of the batch's rows: {@code INSERT INTO mail SELECT id, email FROM batch}.
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
     * Begins, or joins the sweep of that name, and returns. Without work rows are only marked. A sweep that was stopped, has failed or
     * is done goes on with its own {@code :started}: what is to do now is done; {@link #again} begins it anew.
     *
     * @throws SweepException if something is missing, the database does not take it, or there is another sweep of that name
     */
    public Sweep start() {
        String called = need(name, "a name (named)");
        SweepStarter.Started started = launch(called).start();
        return new Sweep(source, called, started.run(), grace, started.doneBefore());
    }

    /**
     * Says what {@link #start} would do, and changes nothing. Where there is a sweep of that name it would go on, and
     * {@code :started} is that sweep's.
     *
     * @throws SweepException if something is missing, or PostgreSQL does not take the texts
     */
    public SweepPlan dryRun() {
        return launch(name == null ? "" : name).dryRun();
    }

    private SweepStarter launch(String called) {
        ConnectionSource kept = sessions == null ? source : sessions;
        return new SweepStarter(
                kept,
                called,
                definition(),
                work == null ? new SqlBatch() : work,
                new WorkerConfig(process, workers, batch, attempts, skipped, mostFailures),
                new Backpressure(lag, maintenance, suffering),
                new SweepStarter.Options(throttle, anyway, again, retryFailed, kept == source));
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
