package dev.howdah.internal.pause;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.internal.connection.SchemaConnection;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.internal.sql.Transactions;
import dev.howdah.internal.text.Identifiers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The mark that everything of Howdah in a database is paused.
 *
 * @param reason why; null: nothing was said
 * @param since when it was made, in UTC; null: it was made by hand
 * @param by the role that made it, or else its owner
 */
public record PauseMark(@Nullable String reason, @Nullable String since, String by) {
    private static final SqlFile SQL = SqlFile.of(PauseMark.class, "pause.sql");

    /** A statement whose rows {@link #state} reads; none where no relation has the name of the mark. */
    public static final Sql READ = SQL.statement("pause_read");

    /** No mark, and nothing of its name. */
    public static final State NONE = new State(null, null);

    private static final Sql MAY_CHANGE = SQL.statement("pause_may_change");
    private static final Sql COMMENT = SQL.statement("pause_comment");
    private static final Sql ASKED = SQL.statement("pause_asked");
    private static final ObjectMapper JSON = new ObjectMapper();
    /** Of roles that may not make or drop it. */
    private static final String NOT_ALLOWED = "42501";
    /** Another session has made it just now. */
    private static final Set<String> MADE_ALREADY = Set.of("42P07", "23505", "42710");

    private static final String WRONG_OBJECT = "42809";

    /**
     * What a database says.
     *
     * @param mark the pause; null: there is none
     * @param stranger a relation of that name that is no mark, for people; null: there is none
     */
    public record State(@Nullable PauseMark mark, @Nullable String stranger) {}

    /** Whether everything is paused, and nothing else: what work asks before it begins. */
    public static boolean isSet(Connection connection) throws SQLException {
        try (PreparedStatement statement = ASKED.prepare(connection);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getBoolean(1);
        }
    }

    /** Reads it. Needs no privileges. */
    public static State read(Connection connection) throws SQLException {
        try (PreparedStatement statement = READ.prepare(connection);
                ResultSet row = statement.executeQuery()) {
            return row.next() ? state(row, SchemaConnection.schema(connection).name()) : NONE;
        }
    }

    /** The same of a row of {@link #READ}. */
    public static State state(ResultSet row, String schema) throws SQLException {
        String owner = row.getString("owner");
        if (row.getBoolean("ours")) return new State(of(row.getString("said"), owner), null);
        return new State(
                null,
                schema + ".paused is " + row.getString("kind") + " of role " + owner
                        + " and pauses nothing: a mark that does is a view of a role that may act as "
                        + row.getString("home") + "; drop or rename it");
    }

    /** What is said by a comment that no program has written is the reason. */
    private static PauseMark of(@Nullable String said, String owner) {
        if (said == null || said.isBlank()) return new PauseMark(null, null, owner);
        try {
            JsonNode fields = JSON.readTree(said);
            if (fields != null && fields.isObject())
                return new PauseMark(
                        fields.path("reason").asText(null),
                        fields.path("since").asText(null),
                        fields.path("by").asText(owner));
        } catch (JsonProcessingException e) {
            return new PauseMark(said, null, owner);
        }
        return new PauseMark(said, null, owner);
    }

    /**
     * Makes the mark, in a transaction of its own.
     *
     * @param reason why; null: nothing is said
     * @param by who does so; null: the role of the session
     * @return the mark that was there before; null: there was none
     * @throws SQLException also where the role may not, or a relation of that name is no mark
     */
    public static @Nullable PauseMark make(Connection connection, @Nullable String reason, @Nullable String by)
            throws SQLException {
        PauseMark before = known(connection);
        if (before != null) return before;
        try {
            Transactions.run(connection, () -> create(connection, reason, by));
            return null;
        } catch (SQLException e) {
            PauseMark other = MADE_ALREADY.contains(String.valueOf(e.getSQLState())) ? known(connection) : null;
            if (other != null) return other;
            throw e;
        }
    }

    private static void create(Connection connection, @Nullable String reason, @Nullable String by)
            throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL search_path = pg_catalog, pg_temp");
            if (!isAllowed(connection)) statement.execute(SQL.text("pause_schema"));
            statement.execute(SQL.text("pause_make"));
            try (PreparedStatement note = COMMENT.prepare(connection, reason, by)) {
                note.execute();
            }
            statement.execute(SQL.text("pause_write"));
        }
    }

    /**
     * Drops the mark.
     *
     * @return the mark that was there; null: there was none
     * @throws SQLException also where the role may not, or a relation of that name is no mark
     */
    public static @Nullable PauseMark drop(Connection connection) throws SQLException {
        PauseMark before = known(connection);
        if (before == null) return null;
        isAllowed(connection);
        try (Statement statement = connection.createStatement()) {
            statement.execute(SQL.text("pause_drop"));
        }
        return before;
    }

    private static @Nullable PauseMark known(Connection connection) throws SQLException {
        State state = read(connection);
        if (state.stranger() != null) throw new SQLException(state.stranger(), WRONG_OBJECT);
        return state.mark();
    }

    /** Returns whether there is the schema; refuses roles that may not act as its owner. */
    private static boolean isAllowed(Connection connection) throws SQLException {
        try (PreparedStatement statement = MAY_CHANGE.prepare(connection);
                ResultSet row = statement.executeQuery()) {
            if (!row.next()) return false;
            if (row.getBoolean("allowed")) return true;
            throw new SQLException(
                    "role " + row.getString("role")
                            + " may not pause or resume everything here: that takes the rights of "
                            + row.getString("home") + ", the owner of the schema "
                            + SchemaConnection.schema(connection).name() + " (GRANT "
                            + Identifiers.quote(row.getString("home")) + " TO "
                            + Identifiers.quote(row.getString("role")) + ")",
                    NOT_ALLOWED);
        }
    }

    /** For people, such as: paused since 2026-07-01T10:00:00Z by alice: a copy for tests. */
    @Override
    public String toString() {
        return "paused" + (since == null ? "" : " since " + since) + " by " + by
                + (reason == null ? "" : ": " + reason.strip().replaceAll("\\s+", " "));
    }
}
