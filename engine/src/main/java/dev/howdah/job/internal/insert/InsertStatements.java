package dev.howdah.job.internal.insert;

import dev.howdah.internal.sql.Sql;
import dev.howdah.job.AddResult;
import dev.howdah.job.internal.store.JobPayloads;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes jobs. Safe for use by many threads, each with a connection of its own. */
public final class InsertStatements {
    private static final Sql ADD_ONE = JobSql.ADD.statement("job_add_one");
    private static final Sql ADD_LARGE = JobSql.ADD.statement("job_add_large");
    private static final Sql ADD_ALIKE = JobSql.ADD.statement("job_add_alike");
    private static final Sql ADD_BULK = JobSql.ADD
            .statement("job_bulk_begin")
            .then(JobSql.ADD.statement("job_bulk_add"))
            .then(JobSql.ADD.statement("job_bulk_end"));
    private static final Sql ADD_MANY = JobSql.ADD.statement("job_add_many");
    private static final Sql ADD_GROUPED = JobSql.ADD.statement("job_add_grouped");
    private static final Sql ADD_LOG = JobSql.LOG.statement("log_add");
    private static final Sql ADD_LOG_EACH = JobSql.LOG.statement("log_add_each");
    private static final Sql ADD_ORDERED = JobSql.ORDER.statement("order_add");
    /** From so many on what is saved is more than two statements cost. */
    private static final int BULK = 250;

    /** The numbers of so many that are alike: the first one, if they follow one another, or all of them. */
    private static List<Long> alike(ResultSet row, int size) throws SQLException {
        List<Long> numbers = new ArrayList<>(size);
        row.next();
        String all = row.getString(2);
        if (all == null) {
            long first = row.getLong(1);
            for (int i = 0; i < size; i++) numbers.add(first + i);
            return numbers;
        }
        StatementRunner.numbers(all, numbers);
        return numbers;
    }

    /** Adds one in the transaction of that connection; returns its id. */
    long add(Connection connection, InsertRow insertRow) throws SQLException {
        return offer(connection, insertRow).id();
    }

    /** Adds one; returns its id when it is durable. */
    long add(JobSession session, InsertRow insertRow) throws SQLException {
        return add(StatementRunner.on(session), insertRow);
    }

    /** Adds one in the transaction of that connection, unless the key says no. */
    AddResult offer(Connection connection, InsertRow insertRow) throws SQLException {
        StatementRunner runner = StatementRunner.on(connection);
        return insertRow.template().isKeyed()
                ? KeyedStatements.add(runner, insertRow)
                : new AddResult(add(runner, insertRow), true);
    }

    /** Adds many without keys in the transaction of that connection; returns their ids in their order. */
    List<Long> addAll(Connection connection, List<InsertBatch> batches) throws SQLException {
        List<Long> ids = new ArrayList<>();
        addAll(StatementRunner.on(connection), batches, ids);
        return ids;
    }

    /**
     * Adds many in the transaction of that connection, unless their keys say no; the results in their order. From the first one
     * with a key to the last one they are one statement, but for those with order keys.
     */
    List<AddResult> addEach(Connection connection, List<InsertBatch> batches) throws SQLException {
        StatementRunner runner = StatementRunner.on(connection);
        List<AddResult> results = new ArrayList<>();
        for (int from = 0; from < batches.size(); ) {
            int to = from;
            while (to < batches.size() && !batches.get(to).template().isKeyed()) to++;
            List<Long> ids = new ArrayList<>();
            addAll(runner, batches.subList(from, to), ids);
            for (long id : ids) results.add(new AddResult(id, true));
            from = to;
            to = KeyedStatements.end(batches, from);
            if (from < to) KeyedStatements.addEach(runner, batches.subList(from, to), results);
            from = to;
        }
        return results;
    }

    /** Adds many; returns their ids in their order. */
    public List<Long> addAll(JobSession session, List<InsertBatch> batches) throws SQLException {
        List<Long> ids = new ArrayList<>();
        addAll(StatementRunner.on(session), batches, ids);
        return ids;
    }

    private static long add(StatementRunner runner, InsertRow insertRow) throws SQLException {
        InsertTemplate template = insertRow.template();
        if (template.lane().log())
            return addLog(runner, new InsertBatch(template, List.of(insertRow.payload())))
                    .get(0);
        if (template.order() != null)
            return addOrdered(runner, List.of(new InsertBatch(template, List.of(insertRow.payload()))), 1)
                    .get(0);
        if (template.isGrouped())
            return addGrouped(runner, List.of(new InsertBatch(template, List.of(insertRow.payload()))), 1)
                    .get(0);
        return runner.run(
                        insertRow.isLarge() ? ADD_LARGE : ADD_ONE,
                        template.lane().id(),
                        template.kind(),
                        template.priority(),
                        template.at(),
                        template.delayMicros(),
                        insertRow.payload(),
                        template.more())
                .get(0);
    }

    /** As many batches as go together are one statement: those of a log queue, those with an order key, or plain ones; each large one goes alone. */
    private static void addAll(StatementRunner runner, List<InsertBatch> batches, List<Long> ids) throws SQLException {
        for (int from = 0; from < batches.size(); ) {
            InsertBatch first = batches.get(from);
            Way way = Way.of(first);
            int size = first.size();
            int to = from + 1;
            if (way != Way.ALONE)
                while (to < batches.size()
                        && size + batches.get(to).size() <= InsertBatch.MOST
                        && Way.of(batches.get(to)) == way
                        && (way != Way.LOG || goTogether(first, batches.get(to))))
                    size += batches.get(to++).size();
            List<InsertBatch> step = batches.subList(from, to);
            if (way == Way.LOG) ids.addAll(step.size() == 1 ? addLog(runner, first) : addLogEach(runner, step, size));
            else if (way == Way.ORDERED) ids.addAll(addOrdered(runner, step, size));
            else if (way == Way.GROUPED) ids.addAll(addGrouped(runner, step, size));
            else if (size == 1)
                ids.add(add(
                        runner, new InsertRow(first.template(), first.payloads().get(0))));
            else if (step.size() == 1) ids.addAll(addAlike(runner, first));
            else ids.addAll(addDiverse(runner, step, size));
            from = to;
        }
    }

    /** The ways to write jobs: those that are written the same way, except alone, can share a statement. */
    private enum Way {
        PLAIN,
        ORDERED,
        GROUPED,
        LOG,
        ALONE;

        static Way of(InsertBatch batch) {
            if (batch.template().lane().log()) return LOG;
            if (batch.template().order() != null) return ORDERED;
            if (batch.template().isGrouped()) return GROUPED;
            return batch.isLarge() ? ALONE : PLAIN;
        }
    }

    /** Whether entries of these two can be written by one statement. */
    private static boolean goTogether(InsertBatch one, InsertBatch other) {
        return one.template().lane().id() == other.template().lane().id() && !one.isLarge() && !other.isLarge();
    }

    private static List<Long> addLog(StatementRunner runner, InsertBatch batch) throws SQLException {
        InsertTemplate template = batch.template();
        return runner.run(
                InsertStatements::entries,
                0,
                ADD_LOG,
                template.lane().id(),
                template.kind(),
                batch.payloads().toArray(String[]::new),
                template.more());
    }

    private static List<Long> addLogEach(StatementRunner runner, List<InsertBatch> batches, int size)
            throws SQLException {
        InsertColumns columns = new InsertColumns(batches, size);
        return runner.run(
                InsertStatements::entries,
                0,
                ADD_LOG_EACH,
                columns.lane[0],
                columns.kind,
                columns.payload,
                columns.more);
    }

    /** The numbers of entries, of an answer that has all in one text. */
    private static List<Long> entries(ResultSet row) throws SQLException {
        List<Long> ids = new ArrayList<>();
        row.next();
        StatementRunner.numbers(row.getString(1), ids);
        return ids;
    }

    private static List<Long> addGrouped(StatementRunner runner, List<InsertBatch> batches, int size)
            throws SQLException {
        InsertColumns columns = new InsertColumns(batches, size);
        return runner.run(
                ADD_GROUPED,
                columns.lane,
                columns.kind,
                columns.priority,
                columns.at,
                columns.delay,
                columns.payload,
                columns.more);
    }

    private static List<Long> addAlike(StatementRunner runner, InsertBatch batch) throws SQLException {
        InsertTemplate template = batch.template();
        int size = batch.size();
        @Nullable
        Object[] values = {
            template.lane().id(),
            template.kind(),
            template.priority(),
            template.at(),
            template.delayMicros(),
            batch.payloads().toArray(String[]::new),
            template.more()
        };
        if (size < BULK) return runner.run(row -> alike(row, size), 0, ADD_ALIKE, values);
        @Nullable Object[] bulk = Arrays.copyOf(values, values.length + 2);
        bulk[values.length] = size;
        bulk[values.length + 1] = template.lane().id();
        return runner.run(row -> alike(row, size), 2, ADD_BULK, bulk);
    }

    private static List<Long> addOrdered(StatementRunner runner, List<InsertBatch> batches, int size)
            throws SQLException {
        InsertColumns columns = new InsertColumns(batches, size);
        return runner.run(
                ADD_ORDERED,
                columns.lane,
                columns.kind,
                columns.priority,
                columns.at,
                columns.delay,
                columns.payload,
                columns.more,
                Arrays.stream(columns.payload).map(JobPayloads::isLarge).toArray(Boolean[]::new),
                columns.queue,
                columns.order);
    }

    private static List<Long> addDiverse(StatementRunner runner, List<InsertBatch> batches, int size)
            throws SQLException {
        InsertColumns columns = new InsertColumns(batches, size);
        Integer[] rings = Arrays.stream(columns.lane).distinct().toArray(Integer[]::new);
        return runner.run(
                ADD_MANY,
                columns.lane,
                columns.kind,
                columns.priority,
                columns.at,
                columns.delay,
                columns.payload,
                columns.more,
                rings);
    }
}
