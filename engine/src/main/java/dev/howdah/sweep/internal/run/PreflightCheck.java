package dev.howdah.sweep.internal.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.sweep.SweepException;
import dev.howdah.sweep.SweepRow;
import dev.howdah.sweep.internal.read.KeyCursor;
import dev.howdah.sweep.internal.statements.SweepStatements;
import dev.howdah.sweep.internal.store.SqlFragment;
import dev.howdah.sweep.internal.store.SweepDefinition;
import dev.howdah.sweep.internal.store.SweepSqlErrors;
import dev.howdah.sweep.internal.store.TargetTable;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A look at a sweep before it begins: whether PostgreSQL takes its texts, by which index rows will be read, whether the key is
 * one, how many rows there are. Changes nothing. The session's planner takes an index wherever there is one.
 */
final class PreflightCheck {
    /** From here on reading the whole table is not a matter of a moment. */
    private static final long LARGE_BYTES = 8L << 20;
    /** Where fewer rows than this part are to do, walking over the others costs more than they do. */
    private static final double RARE = 0.02;

    private static final ObjectMapper JSON = new ObjectMapper();

    private final DedicatedSession session;
    private final SweepDefinition definition;
    private final TargetTable target;
    private final SweepStatements statements;

    PreflightCheck(
            DedicatedSession session, SweepDefinition definition, TargetTable target, SweepStatements statements) {
        this.session = session;
        this.definition = definition;
        this.target = target;
        this.statements = statements;
    }

    /** @throws SweepException with what PostgreSQL says to the text that it does not take */
    void checkTexts() throws SQLException {
        tryOut("the condition", definition.where(), statements.candidate("key_explain_todo"));
        if (definition.mark() != null) tryOut("the mark", definition.mark(), statements.candidate("key_explain_mark"));
        if (definition.sql() != null) tryOut("the work", definition.sql(), statements.row("row_explain_work"));
    }

    private void tryOut(String what, String text, Sql sql) throws SQLException {
        try {
            lines(sql);
        } catch (SQLException e) {
            if (SqlErrors.isConnectionLost(e)) throw e;
            throw new SweepException(
                    what + " is not accepted by PostgreSQL: " + SweepSqlErrors.text(e) + ": " + SqlFragment.shown(text),
                    e);
        }
    }

    /** Why the sweep should not begin, each in a line; what {@code force} overrides. */
    List<String> objections() throws SQLException {
        List<String> objections = new ArrayList<>();
        if (!target.isView() && !target.isUnique(session))
            objections.add("the key (" + String.join(", ", definition.key()) + ") of " + definition.table()
                    + " is not known to be unique: CREATE UNIQUE INDEX" + concurrently() + " ON " + target.qualified()
                    + " (" + keyNames() + ")");
        if (target.key().stream().anyMatch(each -> !each.isNotNull()) && hasRowsWithoutKey())
            objections.add(
                    "the key (" + String.join(", ", definition.key()) + ") of " + definition.table()
                            + " is NULL in rows that are to do, and those could never be taken: give them a key, or leave them out of the condition");
        if (target.hidesRows(session))
            objections.add("row security of " + definition.table() + " may show this role rows that it does not let it"
                    + " change, and those would never be done: give the sweep a role that owns the table or has"
                    + " BYPASSRLS, or put the policy into the condition");
        String slow = slow();
        if (slow != null) objections.add(slow);
        return objections;
    }

    private boolean hasRowsWithoutKey() throws SQLException {
        KeyCursor.shorten(session);
        try (ResultSet row = session.query(statements.candidate("key_without_key"))) {
            return row.next() && row.getBoolean(1);
        } catch (SQLException e) {
            if (tookTooLong(e)) return false; // it would have been seen, if there were many
            throw e;
        } finally {
            KeyCursor.lengthen(session);
        }
    }

    private @Nullable String slow() throws SQLException {
        if (target.bytes() < LARGE_BYTES) return null;
        if (definition.isStamped()) return slowRun();
        JsonNode plan = plan(statements.candidate("key_explain_next"));
        String what = null;
        if (has(plan, "Seq Scan")) what = "would read the whole table";
        else if (has(plan, "Sort")) what = "would sort the whole table";
        else if (hasFilter(plan)) {
            double todo = rows("key_explain_todo");
            double all = rows("key_explain_all");
            if (todo < all * RARE)
                what = "would walk over about " + Math.round(all) + " rows to find about " + Math.round(todo);
        }
        if (what == null) return null;
        return "the sweep " + what + " (" + (target.bytes() >> 20) + " MB): " + index();
    }

    /** The stamping goes by the key; behind it, rows of a run by its number, or by their stamps. */
    private @Nullable String slowRun() throws SQLException {
        String create = create();
        JsonNode page = plan(statements.stamps().page());
        if (has(page, "Seq Scan") || has(page, "Sort"))
            return "the sweep would sort the whole table (" + (target.bytes() >> 20) + " MB) to stamp its rows: "
                    + create + keyNames() + ")";
        TargetTable.Column run = target.run();
        if (run == null) return null;
        JsonNode next = plan(statements.candidate("key_explain_next"));
        if (!has(next, "Seq Scan") && !has(next, "Sort") && isSearched(next, run.quoted(), run.name())) return null;
        return "no index has the rows of the run in their order (" + (target.bytes() >> 20) + " MB): " + create
                + run.quoted() + ", "
                + (target.order() == null ? "" : target.order().quoted() + ", ") + keyNames()
                + ")";
    }

    /** The index that would serve. */
    private String index() throws SQLException {
        String create = create();
        if (target.order() != null) return create + target.order().quoted() + ", " + keyNames() + ")";
        if (canBeOfAnIndex())
            return create + keyNames() + ") WHERE "
                    + SqlFragment.shown(definition.where().strip());
        return create + "the column of the condition, " + keyNames() + "), and order by that column";
    }

    private String create() {
        return "CREATE INDEX" + concurrently() + " ON " + (target.isView() ? "the table under " : "")
                + target.qualified() + " (";
    }

    private boolean canBeOfAnIndex() throws SQLException {
        session.connection().setAutoCommit(false);
        try (Statement statement = session.connection().createStatement()) {
            statement.execute(statements.candidate("key_like").jdbc());
            statement.execute(statements.candidate("key_partial").jdbc());
            return !definition.where().contains(":started");
        } catch (SQLException e) {
            if (SqlErrors.isConnectionLost(e)) throw e;
            return false;
        } finally {
            if (!session.connection().isClosed()) {
                session.connection().rollback();
                session.connection().setAutoCommit(true);
            }
        }
    }

    private String concurrently() {
        return target.isPartitioned() ? "" : " CONCURRENTLY";
    }

    private String keyNames() {
        return target.key().stream()
                .map(TargetTable.Column::quoted)
                .reduce((a, b) -> a + ", " + b)
                .orElseThrow();
    }

    /**
     * The number of rows to do.
     *
     * @param isExact whether they were counted, which a large table leaves no time for
     */
    record Count(long rows, boolean isExact) {}

    Count count() throws SQLException {
        KeyCursor.shorten(session);
        try (ResultSet row = session.query(statements.candidate("key_count"))) {
            row.next();
            return new Count(row.getLong(1), true);
        } catch (SQLException e) {
            if (!tookTooLong(e)) throw e;
            return new Count(Math.round(rows("key_explain_todo")), false);
        } finally {
            KeyCursor.lengthen(session);
        }
    }

    /**
     * The first rows that are to do, in their order; none if it takes too long to find them.
     *
     * @param known the sweep whose rows that have failed for good are left out; null: none
     */
    List<SweepRow> first(int most, @Nullable Integer known) throws SQLException {
        List<SweepRow> rows = new ArrayList<>();
        KeyCursor.shorten(session);
        try (ResultSet row = known == null
                ? session.query(statements.candidate("key_first"), most)
                : session.query(statements.candidate("key_first_known"), most, known)) {
            while (row.next()) {
                List<String> key = new ArrayList<>();
                for (int i = 0; i < target.key().size(); i++) key.add(row.getString(2 + i));
                rows.add(new SweepRow(key, row.getString(1), statements.started()));
            }
        } catch (SQLException e) {
            if (!tookTooLong(e)) throw e;
        } finally {
            KeyCursor.lengthen(session);
        }
        return rows;
    }

    /** The statements of a batch. */
    List<String> sql() {
        List<String> texts = new ArrayList<>();
        boolean isWork = definition.sql() != null;
        if (isWork) texts.add(statements.row("row_work").jdbc().replace("??", "?"));
        if (definition.mark() != null)
            texts.add(statements.row("row_mark").jdbc().replace("??", "?"));
        return texts;
    }

    /** Also where the condition waits for a lock, as a function in it may. */
    private static boolean tookTooLong(SQLException e) {
        return SqlErrors.isCanceled(e) || SqlErrors.isConflict(e);
    }

    /** How rows will be read, for people. */
    List<String> plan() throws SQLException {
        return lines(statements.candidate("key_explain_shown"));
    }

    private double rows(String name) throws SQLException {
        return plan(statements.candidate(name)).path("Plan Rows").asDouble();
    }

    private JsonNode plan(Sql explain) throws SQLException {
        try {
            return JSON.readTree(String.join("\n", lines(explain))).path(0).path("Plan");
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("EXPLAIN says what is no JSON", e);
        }
    }

    private List<String> lines(Sql sql) throws SQLException {
        List<String> lines = new ArrayList<>();
        try (ResultSet row = session.query(sql)) {
            while (row.next()) lines.add(row.getString(1));
        }
        return lines;
    }

    private static boolean has(JsonNode plan, String type) {
        if (plan.path("Node Type").asText().equals(type)) return true;
        for (JsonNode each : plan.path("Plans")) if (has(each, type)) return true;
        return false;
    }

    /** Returns whether the condition of an index has one of those words. */
    private static boolean isSearched(JsonNode plan, String... words) {
        for (String each : words) if (plan.path("Index Cond").asText().contains(each)) return true;
        for (JsonNode each : plan.path("Plans")) if (isSearched(each, words)) return true;
        return false;
    }

    private static boolean hasFilter(JsonNode plan) {
        if (plan.has("Filter")) return true;
        for (JsonNode each : plan.path("Plans")) if (hasFilter(each)) return true;
        return false;
    }
}
