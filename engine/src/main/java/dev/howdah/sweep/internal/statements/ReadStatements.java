package dev.howdah.sweep.internal.statements;

import dev.howdah.internal.sql.Sql;
import dev.howdah.sweep.internal.store.SweepSql;
import dev.howdah.sweep.internal.store.TargetTable;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Statements that read the keys of a sweep's rows, in their order. Immutable. */
public final class ReadStatements {

    private final StatementTemplate phrases;
    private final TargetTable target;

    ReadStatements(StatementTemplate phrases) {
        this.phrases = phrases;
        this.target = phrases.target();
    }

    /**
     * The parts of a pass, read one after another. There are two where the column of the order can be NULL, because NULL is
     * neither before nor behind anything.
     */
    public enum Segment {
        ALL,
        ORDERED,
        UNORDERED
    }

    /** A statement about all rows. */
    Sql of(String name) {
        return phrases.in(SweepSql.CANDIDATE, Map.of("sorted", sorted(), "read", read()))
                .statement(name);
    }

    /**
     * A statement that reads the keys of rows in their order.
     *
     * @param behind whether behind some row, whose columns are the parameters from $3 on
     * @param upTo whether up to some row, whose columns are the parameters after those
     */
    public Sql reading(String name, Segment segment, boolean behind, boolean upTo) {
        Map<String, String> more = new HashMap<>();
        String place = switch (segment) {
            case ALL -> "true";
            case ORDERED -> orderColumn() + " IS NOT NULL";
            case UNORDERED -> orderColumn() + " IS NULL";
        };
        // The index that has a run in its order has the number of the run in front.
        more.put("segment", place + " AND " + phrases.get("of_run"));
        if (segment != Segment.ALL) more.put("where", place + " AND (" + phrases.get("where") + ")");
        more.put("read", read());
        more.put("sorted", sorted());
        int width = target.key().size() + (isOrdered(segment) ? 1 : 0);
        more.put(
                "bound",
                (behind ? bound(segment, target.descending() ? "<" : ">", 3) : "")
                        + (upTo ? bound(segment, target.descending() ? ">=" : "<=", behind ? 3 + width : 3) : ""));
        return phrases.in(SweepSql.CANDIDATE, more).statement(name);
    }

    private String orderColumn() {
        TargetTable.Column order = target.order();
        return order == null ? "true" : target.qualified(order);
    }

    private String read() {
        return target.order() == null ? phrases.get("keys") : orderColumn() + "::text, " + phrases.get("keys");
    }

    private String sorted() {
        String direction = target.descending() ? " DESC" : "";
        String keys = phrases.each(i -> phrases.column(i) + direction);
        return target.order() == null ? keys : orderColumn() + direction + ", " + keys;
    }

    private boolean isOrdered(Segment segment) {
        return target.order() != null && segment != Segment.UNORDERED;
    }

    /** That a row compares so with one whose columns are the parameters from that number on. */
    private String bound(Segment segment, String operator, int first) {
        TargetTable.@Nullable Column order = isOrdered(segment) ? target.order() : null;
        String columns = phrases.columns();
        String values = phrases.values(order == null ? first : first + 1);
        if (order != null) {
            columns = orderColumn() + ", " + columns;
            values = "$" + first + "::text::" + order.type() + ", " + values;
        }
        return " AND (" + columns + ") " + operator + " (" + values + ")";
    }
}
