package dev.howdah.daemon.cli.migrate;

import dev.howdah.daemon.database.DaemonSql;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Moves executions of db-scheduler's tasks into jobs: each is a job and no execution any more, or stays as it is. */
final class DbSchedulerImport {
    /** The instance of every recurring task whose schedule stands in the code of a program. */
    private static final String RECURRING = "recurring";
    /** What Java's own serialization begins with. */
    private static final int JAVA_STREAM = 0xACED0005;
    /** A schedule in the data, as the serializers of db-scheduler write it. */
    private static final Pattern SCHEDULE = Pattern.compile("^\\s*\\{.*\"schedule\"\\s*:\\s*\\{.*", Pattern.DOTALL);

    private static final String NO_JSON = "22P02";

    private final Connection connection;
    private final String queue;
    private final boolean dryRun;

    /** @param connection without a transaction, in which names lead to the table of db-scheduler */
    DbSchedulerImport(Connection connection, String queue, boolean dryRun) {
        this.connection = connection;
        this.queue = queue;
        this.dryRun = dryRun;
    }

    private record Execution(String instance, byte @Nullable [] data, OffsetDateTime due, boolean picked) {}

    /**
     * What came of executions.
     *
     * @param instance null: those that were moved
     * @param note why it was left; null: it was moved
     */
    record Outcome(
            String task,
            String kind,
            @Nullable String instance,
            long count,
            @Nullable String note) {}

    boolean hasTable() throws SQLException {
        try (PreparedStatement statement = DaemonSql.IMPORT
                        .statement("command_import_db_scheduler_table")
                        .prepare(connection);
                ResultSet row = statement.executeQuery()) {
            return row.next() && row.getBoolean("present");
        }
    }

    /** Moves the executions of one task, 500 in a transaction. */
    void move(String task, String kind, Consumer<Outcome> outcomes) throws SQLException {
        connection.setAutoCommit(false);
        try {
            long moved = 0;
            List<Execution> batch = next(task, null);
            while (!batch.isEmpty()) {
                List<Outcome> left = new ArrayList<>();
                for (Execution each : batch) {
                    String problem = move(task, kind, each);
                    if (problem == null) moved++;
                    else left.add(new Outcome(task, kind, each.instance(), 1, problem));
                }
                if (dryRun) connection.rollback();
                else connection.commit();
                left.forEach(outcomes);
                batch = next(task, batch.get(batch.size() - 1).instance());
            }
            outcomes.accept(new Outcome(task, kind, null, moved, null));
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    private List<Execution> next(String task, @Nullable String after) throws SQLException {
        List<Execution> batch = new ArrayList<>();
        try (PreparedStatement statement = DaemonSql.IMPORT
                        .statement("command_import_db_scheduler")
                        .prepare(connection, task, after);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next())
                batch.add(new Execution(
                        rows.getString("instance"),
                        rows.getBytes("data"),
                        rows.getObject("due", OffsetDateTime.class),
                        rows.getBoolean("picked")));
        }
        return batch;
    }

    /** @return why it was left; null: it is a job now */
    private @Nullable String move(String task, String kind, Execution execution) throws SQLException {
        if (execution.picked()) return "it runs there now: import again when it has ended";
        if (execution.instance().equals(RECURRING))
            return "it is a recurring task, whose schedule stands in the code of its program: add a schedule of jobs";
        byte[] data = execution.data();
        if (data != null && data.length >= 4 && ByteBuffer.wrap(data).getInt() == JAVA_STREAM)
            return "its data are in Java's own serialization: a program that has their class can read them";
        String payload = data == null ? "null" : text(data);
        if (payload == null) return "its data are no JSON";
        if (SCHEDULE.matcher(payload).matches())
            return "its data have a schedule, by which it repeats: add a schedule of jobs";
        Savepoint before = connection.setSavepoint();
        try (PreparedStatement statement = DaemonSql.IMPORT
                        .statement("command_import_db_scheduler_move")
                        .prepare(connection, queue, kind, payload, execution.due(), execution.instance(), task);
                ResultSet row = statement.executeQuery()) {
            row.next();
            boolean added = row.getBoolean("added");
            connection.releaseSavepoint(before);
            return added ? null : "there is a job with its key already";
        } catch (SQLException e) {
            if (!NO_JSON.equals(e.getSQLState())) throw e;
            connection.rollback(before);
            return "its data are no JSON";
        }
    }

    private static @Nullable String text(byte[] data) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(data))
                    .toString();
            // PostgreSQL has no text with a zero in it, and JSON none outside of an escape.
            return text.indexOf('\0') < 0 ? text : null;
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
