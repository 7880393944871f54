package dev.howdah.operations.store;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.operations.read.MissingPrivilege;
import dev.howdah.operations.read.ReadException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The rows of {@code howdah.audit}. The table is made with the first of them. Safe for use by many threads. */
public final class AuditStore {
    /** Rows are kept for at least so many days: the table refuses to delete younger ones. */
    public static final int LEAST_DAYS = 30;

    private static final long CLEANING_NANOS = Duration.ofHours(1).toNanos();
    private static final SqlFile FILE = SqlFile.of(AuditStore.class, "audit.sql");
    private static final Sql TABLE = FILE.statement("audit_table");
    private static final Sql MAY_CREATE = FILE.statement("audit_may_create");
    private static final Sql ADD = FILE.statement("audit_add");
    private static final Sql END = FILE.statement("audit_end");
    private static final Sql LIST = FILE.statement("audit_list");
    private static final Sql OF_OBJECT = FILE.statement("audit_of_object");
    private static final Sql LIST_OLDEST =
            FILE.with(Map.of("way", "ASC", "past", ">")).statement("audit_list");
    private static final Sql MAY_CLEAN = FILE.statement("audit_may_clean");
    private static final Sql CLEAN = FILE.statement("audit_clean");

    private final ConnectionSource source;
    private final String schema;
    private final int days;
    private final AtomicLong cleaned = new AtomicLong(System.nanoTime() - CLEANING_NANOS);
    private volatile boolean made;

    /** @param days how long rows are kept */
    public AuditStore(DataSource source, String schema, int days) {
        this.source = ConnectionSource.of(source).in(SchemaName.of(schema));
        this.schema = schema;
        this.days = Math.max(LEAST_DAYS, days);
    }

    /** One that removes no rows: how long they are kept is a setting of the program with the console. */
    public AuditStore(DataSource source, String schema) {
        this.source = ConnectionSource.of(source).in(SchemaName.of(schema));
        this.schema = schema;
        this.days = 0;
    }

    /**
     * Writes a row, which is committed when this returns.
     *
     * @param outcome begun, done, failed or refused
     * @return its id
     */
    public long add(AuditEntry entry, String outcome, @Nullable String message) {
        try (Connection connection = source.getConnection()) {
            if (!made) {
                if (!exists(connection)) create(connection);
                made = true;
            }
            long id;
            try (PreparedStatement statement = ADD.prepare(
                            connection,
                            entry.actor(),
                            entry.role(),
                            entry.via(),
                            entry.address(),
                            entry.action(),
                            entry.object(),
                            entry.before(),
                            entry.after(),
                            outcome,
                            message);
                    ResultSet row = statement.executeQuery()) {
                row.next();
                id = row.getLong(1);
            }
            clean(connection);
            return id;
        } catch (SQLException e) {
            made = false;
            throw new ReadException(e);
        }
    }

    /**
     * Writes a row if the table is there, or this role may make it.
     *
     * @return its id; 0: there is no table
     */
    public long addIfKept(AuditEntry entry, String outcome) {
        try (Connection connection = source.getConnection()) {
            if (!exists(connection) && !isTrue(connection, MAY_CREATE)) return 0;
        } catch (SQLException e) {
            throw new ReadException(e);
        }
        return add(entry, outcome, null);
    }

    private void create(Connection connection) throws SQLException {
        try {
            ConsoleSchema.MIGRATIONS.migrate(connection);
        } catch (SQLException | RuntimeException e) {
            SQLException missing = MissingPrivilege.of(
                    e, connection, schema, "the audit log, without which nothing is changed, cannot be kept");
            if (missing != null) throw missing;
            throw e;
        }
    }

    private void clean(Connection connection) throws SQLException {
        if (days == 0) return;
        long last = cleaned.get();
        long now = System.nanoTime();
        if (now - last < CLEANING_NANOS || !cleaned.compareAndSet(last, now)) return;
        if (!isTrue(connection, MAY_CLEAN)) return;
        try (PreparedStatement statement = CLEAN.prepare(connection, days)) {
            statement.execute();
        }
    }

    /** Writes the outcome of the change that has begun with that row. */
    public void end(long begun, String outcome, @Nullable String message, @Nullable String after) {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = END.prepare(connection, begun, outcome, message, after)) {
            statement.execute();
        } catch (SQLException e) {
            throw new ReadException(e);
        }
    }

    /** The newest changes of an object, by its path such as {@code jobs/42}. */
    public List<AuditRow> of(String object, int most) {
        try (Connection connection = source.getConnection()) {
            List<AuditRow> rows = new ArrayList<>();
            if (!exists(connection)) return rows;
            try (PreparedStatement statement = OF_OBJECT.prepare(connection, object, most);
                    ResultSet row = statement.executeQuery()) {
                while (row.next()) rows.add(read(row));
            }
            return rows;
        } catch (SQLException e) {
            throw new ReadException(e);
        }
    }

    /**
     * The first rows in the order of the filter.
     *
     * @param place only rows behind the one with that id; null: from the first on
     */
    public List<AuditRow> list(AuditFilter filter, @Nullable Long place, int most) {
        try (Connection connection = source.getConnection()) {
            List<AuditRow> rows = new ArrayList<>();
            if (!exists(connection)) return rows;
            Sql list = filter.order() == AuditOrder.OLDEST ? LIST_OLDEST : LIST;
            try (PreparedStatement statement = list.prepare(
                            connection,
                            filter.actor(),
                            filter.object(),
                            filter.action(),
                            place,
                            most,
                            text(filter.from()),
                            text(filter.until()));
                    ResultSet row = statement.executeQuery()) {
                while (row.next()) rows.add(read(row));
            }
            return rows;
        } catch (SQLException e) {
            throw new ReadException(e);
        }
    }

    private static @Nullable String text(@Nullable Instant time) {
        return time == null ? null : time.toString();
    }

    private static AuditRow read(ResultSet row) throws SQLException {
        AuditEntry entry = new AuditEntry(
                text(row, "actor"),
                row.getString("role"),
                text(row, "via"),
                row.getString("address"),
                text(row, "action"),
                row.getString("object"),
                row.getString("before"),
                row.getString("after"));
        return new AuditRow(
                row.getLong("id"),
                Objects.requireNonNull(row.getObject("at", OffsetDateTime.class))
                        .toInstant(),
                entry,
                text(row, "outcome"),
                row.getString("message"),
                row.getString("result"));
    }

    private static boolean exists(Connection connection) throws SQLException {
        return isTrue(connection, TABLE);
    }

    private static boolean isTrue(Connection connection, Sql question) throws SQLException {
        try (PreparedStatement statement = question.prepare(connection);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getBoolean(1);
        }
    }

    private static String text(ResultSet row, String column) throws SQLException {
        return Objects.requireNonNull(row.getString(column), column);
    }
}
