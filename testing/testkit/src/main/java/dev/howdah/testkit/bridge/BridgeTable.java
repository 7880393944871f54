package dev.howdah.testkit.bridge;

import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import dev.howdah.spi.TransactionBridge;
import dev.howdah.testkit.internal.bridge.BesideCalls;
import dev.howdah.testkit.internal.bridge.JoiningCalls;
import dev.howdah.testkit.internal.bridge.StepCalls;
import dev.howdah.testkit.internal.sql.TestQueries;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A table of all public calls against all situations of a transaction, for a bridge to the transactions of a framework.
 *
 * <pre>{@code
 * BridgeTable table = BridgeTable.of(pool, 5, direct, bridge)
 *         .situation("no transaction", Outcome.STAYS, Runnable::run)
 *         .situation("rolled back", Outcome.GOES, work -> rolledBack(work));
 * // one test for each row: row.name(), row.check()
 * table.rows()
 * }</pre>
 *
 * <p>What joins a transaction, such as {@code Jobs.add}, has to be in the database if, and only if, the situation says so. All other calls have to do the
 * same in each situation as without a transaction. After each situation the pool has to give all its connections. Rows are for one thread, in
 * their order. Use a database that has nothing else to do.
 */
public final class BridgeTable implements AutoCloseable {
    private final DataSource pool;
    private final int size;
    private final TransactionBridge bridge;
    private final TestQueries queries;
    private final Jobs jobs;
    private final Processes processes;
    private final JoiningCalls joining;
    private final BesideCalls beside;
    private final StepCalls steps;
    private final Map<String, Row> rows = new LinkedHashMap<>();

    /** What becomes of that which joins. */
    public enum Outcome {
        /** It is there when the situation is over. */
        STAYS,
        /** It is gone when the situation is over. */
        GOES,
        /** The call throws, and nothing is there. */
        REFUSED,
        /** The call throws, or what it did is gone when the situation is over: as the framework does it. */
        GOES_OR_REFUSED
    }

    /** A state of the calling thread, and of its transaction. */
    @FunctionalInterface
    public interface Situation {
        /**
         * Brings the thread into it, calls {@code work}, and ends it.
         *
         * @throws Exception what {@code work} throws, in any wrapping; nothing because of a rollback that belongs to the situation
         */
        void around(Runnable work) throws Exception;
    }

    /** A situation with all calls. */
    public static final class Row {
        private final String name;
        private final Check check;

        private Row(String name, Check check) {
            this.name = name;
            this.check = check;
        }

        /** Says which situation, and what it expects. */
        public String name() {
            return name;
        }

        /** @throws AssertionError that names each call that did not do what it should */
        public void check() throws Exception {
            check.run();
        }
    }

    private interface Check {
        void run() throws Exception;
    }

    private BridgeTable(DataSource pool, int size, DataSource direct, TransactionBridge bridge) {
        this.pool = pool;
        this.size = size;
        this.bridge = bridge;
        this.jobs = Jobs.on(pool).sessionDataSource(direct).transactions(bridge).start();
        this.processes = Processes.on(pool)
                .sessionDataSource(direct)
                .transactions(bridge)
                .namespace(Namespace.of(JoiningCalls.NAMESPACE, (task, process) -> Intent.none()))
                .start();
        this.queries = new TestQueries(direct, "bridge", "howdah");
        this.joining = new JoiningCalls(jobs, processes);
        this.beside = new BesideCalls(pool, jobs, processes);
        this.steps = new StepCalls(pool, direct, bridge);
        rows.put("a transaction of a job", new Row("a transaction of a job", this::checkBegin));
    }

    /**
     * Makes the tables of jobs and processes, and starts both.
     *
     * @param pool of the framework, to which the bridge belongs
     * @param size how many connections it gives at the same time
     * @param direct another data source of the same database, of the driver itself
     */
    public static BridgeTable of(DataSource pool, int size, DataSource direct, TransactionBridge bridge) {
        return new BridgeTable(pool, size, direct, bridge);
    }

    /** Adds a row. */
    public BridgeTable situation(String name, Outcome outcome, Situation situation) {
        String title =
                name + ": " + outcome.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
        rows.put(name, new Row(title, () -> check(situation, outcome)));
        return this;
    }

    /** All rows, and one for transactions that the bridge begins. */
    public List<Row> rows() {
        return List.copyOf(rows.values());
    }

    private void check(Situation situation, Outcome outcome) throws Exception {
        List<String> wrong = new ArrayList<>();
        beside.compare(situation::around, wrong);
        for (Map.Entry<String, Runnable> each : joining.all().entrySet()) {
            long before = count();
            @Nullable Throwable thrown = null;
            try {
                situation.around(each.getValue());
            } catch (Exception e) {
                thrown = e;
            }
            boolean there = count() > before;
            String fault = fault(outcome, there, thrown);
            if (fault != null) wrong.add(each.getKey() + ": " + fault);
        }
        if (outcome != Outcome.REFUSED && outcome != Outcome.GOES_OR_REFUSED)
            steps.check(situation::around, size + 1, wrong);
        checkPool(wrong);
        if (!wrong.isEmpty()) throw new AssertionError(String.join("\n", wrong));
    }

    private static @Nullable String fault(Outcome outcome, boolean there, @Nullable Throwable thrown) {
        boolean refusing = outcome == Outcome.REFUSED || outcome == Outcome.GOES_OR_REFUSED;
        if (thrown != null && !refusing) return "threw " + thrown + " caused by " + thrown.getCause();
        if (thrown == null && outcome == Outcome.REFUSED) return "was not refused";
        if (there != (outcome == Outcome.STAYS)) return there ? "it is there" : "it is not there";
        return null;
    }

    /** All connections of the pool can be had. */
    private void checkPool(List<String> wrong) throws SQLException {
        List<Connection> all = new ArrayList<>();
        try {
            for (int i = 0; i < size; i++) all.add(pool.getConnection());
        } catch (SQLException e) {
            wrong.add("the pool gives " + all.size() + " of its " + size + " connections: " + e.getMessage());
        } finally {
            for (Connection each : all) each.close();
        }
    }

    private static final class Undone extends Exception {
        private static final long serialVersionUID = 1;
    }

    /** Commits what returns, rolls back what throws, throws the same, and is another transaction than that of the thread. */
    private void checkBegin() throws Exception {
        List<String> wrong = new ArrayList<>();
        List<String> after = new ArrayList<>();
        Kind<Integer> kind = JoiningCalls.WORK;
        expect(
                1,
                wrong,
                "what returns is committed",
                () -> bridge.begin(connection -> {
                    if (connection.getAutoCommit()) wrong.add("the connection is in autocommit mode");
                    if (!bridge.isActive()) wrong.add("isActive is false in a transaction that the bridge has begun");
                    bridge.afterCommit(() -> after.add("commit"));
                    if (!after.isEmpty()) wrong.add("afterCommit calls before the commit");
                    return jobs.add(connection, kind, joining.next());
                }));
        if (!after.equals(List.of("commit"))) wrong.add("afterCommit has not been called once after the commit");
        expect(
                0,
                wrong,
                "what throws is rolled back",
                () -> thrown(
                        wrong,
                        () -> bridge.begin(connection -> {
                            bridge.afterCommit(() -> wrong.add("afterCommit has been called after a rollback"));
                            jobs.add(kind, joining.next());
                            throw new Undone();
                        })));
        expect(
                1,
                wrong,
                "a transaction in another one is new",
                () -> thrown(
                        wrong,
                        () -> bridge.begin(connection -> {
                            jobs.add(kind, joining.next());
                            bridge.begin(java.time.Duration.ofMinutes(2), inner -> jobs.add(kind, joining.next()));
                            throw new Undone();
                        })));
        if (bridge.isActive()) wrong.add("isActive is true without a transaction");
        checkPool(wrong);
        if (!wrong.isEmpty()) throw new AssertionError(String.join("\n", wrong));
    }

    private void expect(int rows, List<String> wrong, String what, Check check) throws Exception {
        long before = count();
        check.run();
        if (count() != before + rows) wrong.add(what + ": " + (count() - before) + " jobs instead of " + rows);
    }

    private static void thrown(List<String> wrong, Check check) {
        try {
            check.run();
            wrong.add("what the work throws is not thrown");
        } catch (Undone e) {
            // As it should be.
        } catch (Exception e) {
            wrong.add("what the work throws comes as " + e);
        }
    }

    private long count() {
        return Objects.requireNonNull(queries.number("test_bridge_rows"));
    }

    /** Stops what was started. */
    @Override
    public void close() {
        processes.close();
        jobs.close();
    }
}
