package dev.howdah.job.internal.insert;

import dev.howdah.internal.sql.Sql;
import dev.howdah.job.AddResult;
import dev.howdah.job.internal.store.JobOptions;
import dev.howdah.job.internal.store.JobSql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Writes jobs with keys. */
final class KeyedStatements {
    private static final Sql ADD_KEYED = JobSql.ADD.statement("job_add_keyed");
    private static final Sql ADD_EACH = JobSql.ADD.statement("job_add_each");
    private static final Sql TRACE = JobSql.ADD.statement("trace_set");
    /** Within that trace; nothing that is added later in the same transaction belongs to it. */
    private static final Sql ADD_KEYED_TRACED = TRACE.then(ADD_KEYED).then(TRACE);

    /**
     * So many are one statement. More than of others: two sessions that add jobs with the same keys in several statements each
     * can wait for each other.
     */
    static final int MOST = 50_000;

    /** As many characters of payloads as one statement takes, or one job. */
    private static final long MOST_CHARACTERS = 64_000_000;

    private KeyedStatements() {}

    /** Adds one, unless its key says no. */
    static AddResult add(StatementRunner runner, InsertRow insertRow) throws SQLException {
        InsertTemplate template = insertRow.template();
        InsertTemplate.Unusual unusual = Objects.requireNonNull(template.unusual(), "a job with a key is unusual");
        @Nullable
        Object[] values = {
            template.lane().queue(),
            template.kind(),
            insertRow.payload(),
            template.priority(),
            template.at(),
            template.at() == null && template.delayMicros() > 0 ? template.delayMicros() : null,
            unusual.key(),
            unusual.version(),
            unusual.attempts() == 0 ? null : unusual.attempts(),
            unusual.timeoutMicros() == 0 ? null : unusual.timeoutMicros(),
            unusual.unique() == null
                    ? unusual.options()
                    : JobOptions.with(unusual.options(), "unique", JobOptions.read(unusual.unique()))
        };
        StatementRunner.Reader<AddResult> reader = row -> {
            row.next();
            return new AddResult(row.getLong(1), row.getBoolean(2));
        };
        if (unusual.trace() == null) return runner.run(reader, 0, ADD_KEYED, values);
        @Nullable Object[] traced = new @Nullable Object[values.length + 2];
        traced[0] = unusual.trace();
        System.arraycopy(values, 0, traced, 1, values.length);
        return runner.run(reader, 1, ADD_KEYED_TRACED, traced);
    }

    /**
     * Returns the end of the batches that are one statement, of which the first one has a key: behind the last one with a key
     * that goes with it.
     */
    static int end(List<InsertBatch> batches, int from) {
        int end = from;
        int size = 0;
        long characters = 0;
        for (int i = from; i < batches.size(); i++) {
            InsertBatch batch = batches.get(i);
            size += batch.size();
            for (String payload : batch.payloads()) characters += payload.length();
            boolean fits = size <= MOST && characters <= MOST_CHARACTERS;
            if (batch.template().order() != null || i > from && !fits) break;
            if (batch.template().isKeyed()) end = i + 1;
        }
        return end;
    }

    /** Adds as many as are one statement, unless their keys say no. */
    static void addEach(StatementRunner runner, List<InsertBatch> batches, List<AddResult> results)
            throws SQLException {
        int size = 0;
        for (InsertBatch batch : batches) size += batch.size();
        InsertColumns columns = new InsertColumns(batches, size);
        boolean due = false;
        for (InsertBatch batch : batches)
            due |= batch.template().at() != null || batch.template().delayMicros() != 0;
        runner.run(
                row -> read(row, results),
                0,
                ADD_EACH,
                alike(columns.lane),
                alike(columns.kind),
                alike(columns.priority),
                due ? columns.at : null,
                due ? columns.delay : null,
                columns.payload,
                orNull(alike(columns.more)),
                alike(columns.queue),
                columns.key,
                orNull(columns.version),
                orNull(alike(columns.unique)));
    }

    /** What all jobs have is sent once. */
    private static <T extends @Nullable Object> T[] alike(T[] column) {
        for (T each : column) if (!Objects.equals(each, column[0])) return column;
        return Arrays.copyOf(column, 1);
    }

    /** What no job has is not sent for each. */
    private static @Nullable Object orNull(@Nullable String[] column) {
        for (String each : column) if (each != null) return column;
        return null;
    }

    private static int read(ResultSet row, List<AddResult> results) throws SQLException {
        row.next();
        List<Long> ids = new ArrayList<>();
        StatementRunner.numbers(row.getString(1), ids);
        String added = row.getString(2);
        // An array of t and f, as PostgreSQL writes it.
        for (int i = 0; i < ids.size(); i++) results.add(new AddResult(ids.get(i), added.charAt(2 * i + 1) == 't'));
        return ids.size();
    }
}
