package dev.howdah.process;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.internal.sql.Sql;
import dev.howdah.process.internal.client.NamespaceRegistry;
import dev.howdah.process.internal.outbox.OutboxStore;
import dev.howdah.process.internal.store.PageSize;
import dev.howdah.process.internal.store.ProcessRows;
import dev.howdah.process.internal.store.ProcessSql;
import dev.howdah.process.internal.store.ProcessSqlErrors;
import dev.howdah.process.notice.BlockedNotice;
import dev.howdah.process.notice.Notice;
import dev.howdah.process.notice.NoticeBacklog;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;

/**
 * The notices that have not been published, and those that were refused: {@link Processes#notices}, or {@link #on} for a program
 * that is not a node. All methods throw {@link ProcessException}. Safe for use by many threads.
 */
public final class Notices {
    private static final Sql HELD = ProcessSql.OUTBOX.statement("outbox_held");
    private static final Sql DECIDE = ProcessSql.OUTBOX.statement("outbox_decide");

    private final ConnectionSource source;
    private final NamespaceRegistry namespaces;

    Notices(ConnectionSource source, NamespaceRegistry namespaces) {
        this.source = source;
        this.namespaces = namespaces;
    }

    /** Returns the notices in the database of that data source, whose tables have to be there. It is not a node. */
    public static Notices on(DataSource source) {
        return on(source, SchemaName.DEFAULT);
    }

    /** As {@link #on(DataSource)}, in a schema of that name; see {@link ProcessesBuilder#schema}. */
    public static Notices on(DataSource source, String schema) {
        ConnectionSource connections = ConnectionSource.of(source).in(SchemaName.of(schema));
        return new Notices(connections, new NamespaceRegistry(connections));
    }

    /**
     * Returns how many notices wait, and for how long.
     *
     * @throws ProcessException {@link ProcessException.Reason#NAMESPACE_NOT_FOUND NAMESPACE_NOT_FOUND}
     */
    public NoticeBacklog backlog(String namespace) {
        try {
            namespaces.find(namespace);
            try (Connection connection = source.getConnection()) {
                NoticeBacklog found =
                        OutboxStore.backlogs(connection, List.of(namespace)).get(namespace);
                if (found == null) throw new ProcessException(ProcessException.Reason.NAMESPACE_NOT_FOUND);
                return found;
            }
        } catch (SQLException e) {
            throw failed(namespace, e);
        }
    }

    /**
     * Returns refused notices, the oldest first.
     *
     * @param limit the maximum number, 1 to 10,000
     * @throws ProcessException {@link ProcessException.Reason#NAMESPACE_NOT_FOUND NAMESPACE_NOT_FOUND}
     */
    public List<BlockedNotice> held(String namespace, int limit) {
        int checked = PageSize.checked(limit);
        List<BlockedNotice> held = new ArrayList<>();
        try (Connection connection = source.getConnection();
                PreparedStatement statement = HELD.prepare(connection, namespaces.find(namespace), checked);
                ResultSet row = statement.executeQuery()) {
            while (row.next())
                held.add(new BlockedNotice(
                        row.getString(1),
                        row.getLong(2),
                        Notice.Kind.valueOf(row.getString(3).toUpperCase(Locale.ROOT)),
                        ProcessRows.longOrNull(row, 4),
                        row.getString(5),
                        ProcessRows.time(row, 6),
                        row.getLong(7)));
            return held;
        } catch (SQLException e) {
            throw failed(namespace, e);
        }
    }

    /**
     * Publishes the refused notice of a process again, and those behind it, in order.
     *
     * @throws ProcessException {@link ProcessException.Reason#NAMESPACE_NOT_FOUND NAMESPACE_NOT_FOUND}, {@link ProcessException.Reason#NOTICE_NOT_BLOCKED NOTICE_NOT_BLOCKED}
     */
    public void tellAgain(String namespace, String process) {
        decide(namespace, process, "again");
    }

    /**
     * Drops the refused notice of a process, and publishes those behind it.
     *
     * @throws ProcessException {@link ProcessException.Reason#NAMESPACE_NOT_FOUND NAMESPACE_NOT_FOUND}, {@link ProcessException.Reason#NOTICE_NOT_BLOCKED NOTICE_NOT_BLOCKED}
     */
    public void skip(String namespace, String process) {
        decide(namespace, process, "skip");
    }

    private void decide(String namespace, String process, String decision) {
        try (Connection connection = source.getConnection();
                PreparedStatement statement =
                        DECIDE.prepare(connection, namespaces.find(namespace), process, decision);
                ResultSet row = statement.executeQuery()) {
            if (!row.next())
                throw new ProcessException(
                        ProcessException.Reason.NOTICE_NOT_BLOCKED, "no notice of process " + process + " is blocked");
        } catch (SQLException e) {
            throw failed(namespace, e);
        }
    }

    private static ProcessException failed(String namespace, SQLException e) {
        return new ProcessException(
                ProcessException.Reason.DATABASE,
                "notices of " + namespace + " cannot be looked at: " + ProcessSqlErrors.clear(e),
                e);
    }
}
