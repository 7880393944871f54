package dev.howdah.job.internal.insert;

import dev.howdah.internal.sql.Sql;
import dev.howdah.job.AddResult;
import dev.howdah.job.internal.store.JobPayloads;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
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
    private static final Sql ADD_KEYED = JobSql.ADD.statement("job_add_keyed");
    private static final Sql TRACE = JobSql.ADD.statement("trace_set");
    /** Within that trace; nothing that is added later in the same transaction belongs to it. */
    private static final Sql ADD_KEYED_TRACED = TRACE.then(ADD_KEYED).then(TRACE);

    private static final Sql ADD_ORDERED = JobSql.ORDER.statement("order_add");
    /** From so many on what is saved is more than two statements cost. */
    private static final int BULK = 250;

    /** How a statement is run: on a connection of the caller's, or in a session of ours, where it stays prepared. */
    private interface Runner {
        /** Reads that result, of several; the first is 0. */
        <T> T run(Reader<T> reader, int result, Sql sql, @Nullable Object... values) throws SQLException;

        /** The numbers in the first column of all rows. */
        default List<Long> run(Sql sql, @Nullable Object... values) throws SQLException {
            return run(InsertStatements::numbers, 0, sql, values);
        }
    }

    private interface Reader<T> {
        T read(ResultSet rows) throws SQLException;
    }

    private static Runner on(Connection connection) {
        return new Runner() {
            @Override
            public <T> T run(Reader<T> reader, int result, Sql sql, @Nullable Object... values) throws SQLException {
                try (PreparedStatement statement = sql.prepare(connection, values)) {
                    return read(reader, result, statement);
                }
            }
        };
    }

    private static Runner on(JobSession session) {
        return new Runner() {
            @Override
            public <T> T run(Reader<T> reader, int result, Sql sql, @Nullable Object... values) throws SQLException {
                PreparedStatement statement = session.prepare(sql);
                sql.bind(statement, values);
                return read(reader, result, statement);
            }
        };
    }

    private static <T> T read(Reader<T> reader, int result, PreparedStatement statement) throws SQLException {
        statement.execute();
        for (int i = 0; i < result; i++) statement.getMoreResults();
        try (ResultSet rows = statement.getResultSet()) {
            return reader.read(rows);
        }
    }

    private static List<Long> numbers(ResultSet row) throws SQLException {
        List<Long> numbers = new ArrayList<>();
        while (row.next()) numbers.add(row.getLong(1));
        return numbers;
    }

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
        // As PostgreSQL writes an array.
        long number = 0;
        for (int i = 1; i < all.length(); i++) {
            char c = all.charAt(i);
            if (c >= '0' && c <= '9') {
                number = number * 10 + (c - '0');
            } else {
                numbers.add(number);
                number = 0;
            }
        }
        return numbers;
    }

    /** Adds one in the transaction of that connection; returns its number. */
    long add(Connection connection, InsertRow insertRow) throws SQLException {
        return insertRow.shape().isKeyed() ? offer(connection, insertRow).id() : add(on(connection), insertRow);
    }

    /** Adds one; returns its number when it is durable. */
    long add(JobSession session, InsertRow insertRow) throws SQLException {
        return add(on(session), insertRow);
    }

    /** Adds one in the transaction of that connection, unless the key says no. */
    AddResult offer(Connection connection, InsertRow insertRow) throws SQLException {
        InsertTemplate shape = insertRow.shape();
        InsertTemplate.Unusual unusual = shape.unusual();
        if (unusual == null || unusual.key() == null) return new AddResult(add(connection, insertRow), true);
        @Nullable
        Object[] values = {
            shape.lane().queue(),
            shape.kind(),
            insertRow.payload(),
            shape.priority(),
            shape.at(),
            shape.at() == null && shape.delayMicros() > 0 ? shape.delayMicros() : null,
            unusual.key(),
            unusual.version(),
            unusual.attempts() == 0 ? null : unusual.attempts(),
            unusual.timeoutMicros() == 0 ? null : unusual.timeoutMicros()
        };
        Reader<AddResult> reader = row -> {
            row.next();
            return new AddResult(row.getLong(1), row.getBoolean(2));
        };
        if (unusual.trace() == null) return on(connection).run(reader, 0, ADD_KEYED, values);
        @Nullable Object[] traced = new @Nullable Object[values.length + 2];
        traced[0] = unusual.trace();
        System.arraycopy(values, 0, traced, 1, values.length);
        return on(connection).run(reader, 1, ADD_KEYED_TRACED, traced);
    }

    /** Adds many in the transaction of that connection; returns their numbers in their order. */
    List<Long> addAll(Connection connection, List<InsertBatch> batches) throws SQLException {
        List<Long> ids = new ArrayList<>();
        for (int from = 0; from < batches.size(); ) {
            int to = from;
            while (to < batches.size() && !batches.get(to).shape().isKeyed()) to++;
            addAll(on(connection), batches.subList(from, to), ids);
            if (to < batches.size()) {
                InsertBatch keyed = batches.get(to++);
                for (String each : keyed.payloads())
                    ids.add(offer(connection, new InsertRow(keyed.shape(), each))
                            .id());
            }
            from = to;
        }
        return ids;
    }

    /** Adds many; returns their numbers in their order. */
    public List<Long> addAll(JobSession session, List<InsertBatch> batches) throws SQLException {
        List<Long> ids = new ArrayList<>();
        addAll(on(session), batches, ids);
        return ids;
    }

    private static long add(Runner runner, InsertRow insertRow) throws SQLException {
        InsertTemplate shape = insertRow.shape();
        if (shape.order() != null)
            return addOrdered(runner, List.of(new InsertBatch(shape, List.of(insertRow.payload()))), 1)
                    .get(0);
        return runner.run(
                        insertRow.isLarge() ? ADD_LARGE : ADD_ONE,
                        shape.lane().id(),
                        shape.kind(),
                        shape.priority(),
                        shape.at(),
                        shape.delayMicros(),
                        insertRow.payload(),
                        shape.more())
                .get(0);
    }

    /** As many batches as go together are one statement: those with an order key, or plain ones; each large one goes alone. */
    private static void addAll(Runner runner, List<InsertBatch> batches, List<Long> ids) throws SQLException {
        for (int from = 0; from < batches.size(); ) {
            InsertBatch first = batches.get(from);
            boolean ordered = first.shape().order() != null;
            int size = first.size();
            int to = from + 1;
            if (ordered || !first.isLarge())
                while (to < batches.size() && fits(batches.get(to), ordered, size))
                    size += batches.get(to++).size();
            List<InsertBatch> step = batches.subList(from, to);
            if (ordered) ids.addAll(addOrdered(runner, step, size));
            else if (size == 1)
                ids.add(add(
                        runner, new InsertRow(first.shape(), first.payloads().get(0))));
            else if (step.size() == 1) ids.addAll(addAlike(runner, first));
            else ids.addAll(addDiverse(runner, step, size));
            from = to;
        }
    }

    private static boolean fits(InsertBatch batch, boolean ordered, int size) {
        return size + batch.size() <= InsertBatch.MOST
                && (ordered ? batch.shape().order() != null : isPlain(batch));
    }

    private static boolean isPlain(InsertBatch batch) {
        return batch.shape().order() == null && !batch.isLarge();
    }

    private static List<Long> addAlike(Runner runner, InsertBatch batch) throws SQLException {
        InsertTemplate shape = batch.shape();
        int size = batch.size();
        @Nullable
        Object[] values = {
            shape.lane().id(),
            shape.kind(),
            shape.priority(),
            shape.at(),
            shape.delayMicros(),
            batch.payloads().toArray(String[]::new),
            shape.more()
        };
        if (size < BULK) return runner.run(row -> alike(row, size), 0, ADD_ALIKE, values);
        @Nullable Object[] bulk = Arrays.copyOf(values, values.length + 2);
        bulk[values.length] = size;
        bulk[values.length + 1] = shape.lane().id();
        return runner.run(row -> alike(row, size), 2, ADD_BULK, bulk);
    }

    private static List<Long> addOrdered(Runner runner, List<InsertBatch> batches, int size) throws SQLException {
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

    private static List<Long> addDiverse(Runner runner, List<InsertBatch> batches, int size) throws SQLException {
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
