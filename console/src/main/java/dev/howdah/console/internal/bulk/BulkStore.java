package dev.howdah.console.internal.bulk;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.operations.read.ReadException;
import dev.howdah.operations.store.ConsoleSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The changes in the table {@code howdah_internal.console_change}: they are known after a restart. Safe for use by many threads. */
final class BulkStore {
    private static final String LOST = "The program that made this change ended before it was done.";
    private static final SqlFile FILE = SqlFile.of(BulkStore.class, "bulk.sql");
    private static final Sql TABLE = FILE.statement("change_table");
    private static final Sql ADD = FILE.statement("change_add");
    private static final Sql SAVE = FILE.statement("change_save");
    private static final Sql STOP = FILE.statement("change_stop");
    private static final Sql LIST = FILE.statement("change_list");

    private final ConnectionSource source;

    BulkStore(DataSource source, String schema) {
        this.source = ConnectionSource.of(source).in(SchemaName.of(schema));
    }

    private interface Work<T> {
        T with(Connection connection) throws SQLException;
    }

    private <T> T reading(Work<T> work) {
        try (Connection connection = source.getConnection()) {
            return work.with(connection);
        } catch (SQLException e) {
            throw new ReadException(e);
        }
    }

    private static boolean exists(Connection connection) throws SQLException {
        try (PreparedStatement statement = TABLE.prepare(connection);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getBoolean(1);
        }
    }

    /**
     * Writes down that a change was begun; the table is made with the first one.
     *
     * @return its id
     * @throws ReadException if the role may not make the table, or write to it
     */
    long add(String title, String back, @Nullable Long expected) {
        return reading(connection -> {
            if (!exists(connection)) ConsoleSchema.MIGRATIONS.migrate(connection);
            try (PreparedStatement statement = ADD.prepare(connection, title, back, expected);
                    ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        });
    }

    /** Writes down how far it is; true: it was asked to stop by another console. */
    boolean save(BulkRun.Status run) {
        return reading(connection -> {
            try (PreparedStatement statement = SAVE.prepare(
                            connection,
                            run.id(),
                            run.done(),
                            run.left(),
                            text(run.started()),
                            text(run.ended()),
                            run.isStopping(),
                            run.error());
                    ResultSet row = statement.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        });
    }

    private static @Nullable String text(@Nullable Instant time) {
        return time == null ? null : time.toString();
    }

    /** Asks the program that makes it to stop. */
    void stop(long id) {
        reading(connection -> {
            try (PreparedStatement statement = STOP.prepare(connection, id)) {
                return statement.executeUpdate();
            }
        });
    }

    /** The newest first; only that one if an id is given. */
    List<BulkRun.Status> list(@Nullable Long id, int most) {
        return reading(connection -> {
            List<BulkRun.Status> found = new ArrayList<>();
            if (!exists(connection)) return found;
            try (PreparedStatement statement = LIST.prepare(connection, id, most);
                    ResultSet row = statement.executeQuery()) {
                while (row.next()) found.add(status(row));
            }
            return found;
        });
    }

    private static BulkRun.Status status(ResultSet row) throws SQLException {
        boolean lost = row.getBoolean("lost");
        return new BulkRun.Status(
                row.getLong("id"),
                Objects.requireNonNull(row.getString("title")),
                Objects.requireNonNull(row.getString("back")),
                row.getObject("expected", Long.class),
                row.getLong("changed"),
                row.getLong("unchanged"),
                Objects.requireNonNull(time(row, "created")),
                time(row, "started"),
                time(row, lost ? "seen" : "ended"),
                lost ? LOST : row.getString("error"),
                row.getBoolean("stopping"));
    }

    private static @Nullable Instant time(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
