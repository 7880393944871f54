package dev.howdah.task.internal.reach;

import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.internal.text.Sha256;
import dev.howdah.spi.reach.ReachDocument;
import dev.howdah.spi.reach.ReachDocuments;
import dev.howdah.spi.reach.ReachTemplate;
import dev.howdah.task.internal.store.TaskSql;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The templates and documents of one task. */
final class TaskDocuments implements ReachDocuments {
    private static final SqlFile SQL = TaskSql.DOCUMENTS;
    private static final Sql ADD = SQL.statement("document_add", NewDocument.class);

    /**
     * A document to be kept.
     *
     * @param task the id of the first attempt
     * @param template from which it was made; empty: from none
     * @param seconds for how long it is kept; null: for ever
     */
    private record NewDocument(
            UUID id,
            long tableOid,
            long task,
            String key,
            String owner,
            String name,
            String type,
            byte[] bytes,
            byte[] hash,
            int pages,
            String template,
            int version,
            @Nullable Double seconds) {}

    private final DocumentSessions sessions;
    private final long table;
    private final long root;
    private final String owner;
    private final String key;

    /**
     * @param root the id of the task's first attempt
     * @param owner of the task
     */
    TaskDocuments(DocumentSessions sessions, long table, long root, String owner, String key) {
        this.sessions = sessions;
        this.table = table;
        this.root = root;
        this.owner = owner;
        this.key = key;
    }

    @Override
    public @Nullable ReachTemplate template(String name, @Nullable Integer version) throws SQLException {
        return sessions.run(connection -> {
                    try (PreparedStatement statement =
                                    SQL.statement("template_read").prepare(connection, name, version, owner);
                            ResultSet row = statement.executeQuery()) {
                        if (!row.next()) return Optional.<ReachTemplate>empty();
                        return Optional.of(new ReachTemplate(
                                row.getString("name"),
                                row.getInt("version"),
                                row.getString("kind"),
                                row.getString("body")));
                    }
                })
                .orElse(null);
    }

    @Override
    public @Nullable ReachDocument document(UUID id) throws SQLException {
        return read("document_read", id, owner);
    }

    @Override
    public @Nullable ReachDocument documentOf(long task) throws SQLException {
        return read("document_of_task", table, task, owner);
    }

    private @Nullable ReachDocument read(String name, Object... values) throws SQLException {
        return sessions.run(connection -> {
                    try (PreparedStatement statement = SQL.statement(name).prepare(connection, values);
                            ResultSet row = statement.executeQuery()) {
                        if (!row.next()) return Optional.<ReachDocument>empty();
                        return Optional.of(
                                new ReachDocument(row.getString("name"), row.getString("type"), row.getBytes("bytes")));
                    }
                })
                .orElse(null);
    }

    @Override
    public UUID add(ReachDocument document, int pages, @Nullable ReachTemplate template, @Nullable Duration keep)
            throws SQLException {
        Optional<UUID> found = sessions.run(connection -> {
            try (PreparedStatement statement =
                    SQL.statement("document_delete_expired").prepare(connection)) {
                statement.executeUpdate();
            }
            try (PreparedStatement statement = ADD.prepare(
                    connection,
                    new NewDocument(
                            UUID.randomUUID(),
                            table,
                            root,
                            key,
                            owner,
                            document.name(),
                            document.type(),
                            document.bytes(),
                            Sha256.of(document.bytes()),
                            pages,
                            template == null ? "" : template.name(),
                            template == null ? 0 : template.version(),
                            keep == null ? null : keep.toMillis() / 1000.0))) {
                statement.executeUpdate();
            }
            try (PreparedStatement statement = SQL.statement("document_found").prepare(connection, key);
                    ResultSet row = statement.executeQuery()) {
                if (!row.next()) return Optional.<UUID>empty();
                return Optional.of(row.getObject("id", UUID.class));
            }
        });
        return found.orElseThrow(() -> new SQLException("the owner of the task is no role", "42704"));
    }
}
