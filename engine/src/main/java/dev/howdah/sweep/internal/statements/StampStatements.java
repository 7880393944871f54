package dev.howdah.sweep.internal.statements;

import dev.howdah.internal.sql.Sql;
import dev.howdah.sweep.internal.store.SweepSql;
import dev.howdah.sweep.internal.store.TargetTable;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** Statements that stamp the rows of a run, and that read stamps. Immutable. */
public final class StampStatements {
    private static final Pattern NUMBER = Pattern.compile("smallint|integer|bigint|numeric|real|double precision");
    private static final Pattern TIME = Pattern.compile("date|time(stamp)? .*|interval");

    private final StatementTemplate phrases;
    private final TargetTable target;
    private final boolean inTable;

    /** @param inTable whether the stamps are rows of the table of stamps */
    StampStatements(StatementTemplate phrases, boolean inTable) {
        this.phrases = phrases;
        this.target = phrases.target();
        this.inTable = inTable;
    }

    /** Returns whether the rows of the run are read from the table of stamps. */
    public boolean inTable() {
        return inTable;
    }

    /** The plan of a step. */
    public Sql page() {
        return stamp("stamp_page", false);
    }

    /**
     * A step of the stamping.
     *
     * @param behind whether behind some key
     */
    public Sql step(boolean behind) {
        return stamp(inTable ? "stamp_table" : "stamp_column", behind);
    }

    private Sql stamp(String name, boolean behind) {
        Map<String, String> more = new HashMap<>();
        String keys = phrases.columns();
        more.put("columns", keys);
        more.put("by_key", keys);
        more.put("typed", phrases.each(i -> "k.k" + (i + 1) + "::" + phrases.type(i)));
        more.put("bound", behind ? "AND (" + keys + ") > (" + phrases.values(3) + ")" : "");
        TargetTable.Column run = target.run();
        if (run != null) {
            more.put("run", target.qualified(run));
            more.put("run_name", run.quoted());
        }
        more.put("place", place());
        more.put("word", word());
        return phrases.in(SweepSql.STAMP, more).statement(name);
    }

    private TargetTable.Column first() {
        TargetTable.Column order = target.order();
        return order == null ? target.key().get(0) : order;
    }

    /** NULL comes last, as in an index. */
    private String place() {
        String column = target.qualified(first());
        if (NUMBER.matcher(first().type()).matches()) return "COALESCE(" + column + "::numeric, 'NaN')";
        if (TIME.matcher(first().type()).matches())
            return "COALESCE(CASE WHEN isfinite(" + column + ") THEN extract(epoch FROM " + column
                    + ")::numeric END, 'NaN')";
        return "CASE WHEN " + column + " IS NULL THEN 'NaN'::numeric ELSE 0 END";
    }

    private String word() {
        boolean placed = NUMBER.matcher(first().type()).matches()
                || TIME.matcher(first().type()).matches();
        return placed ? "''" : "COALESCE(" + target.qualified(first()) + "::text, '')";
    }

    /**
     * The statement that reads stamps.
     *
     * @param behind whether behind some stamp
     */
    public Sql reading(boolean behind) {
        Map<String, String> more = new HashMap<>();
        more.put("columns", phrases.columns());
        more.put("column", phrases.column(0));
        more.put("stamps", phrases.each(i -> "howdah_r.howdah_key[" + (i + 1) + "]"));
        more.put("stamped_types", phrases.each(i -> "howdah_r.howdah_key[" + (i + 1) + "]::" + phrases.type(i)));
        String direction = target.descending() ? " DESC" : "";
        more.put("by_place", "s.place" + direction + ", s.word" + direction + ", s.key" + direction);
        String key = phrases.each(i -> "$" + (5 + i) + "::text");
        more.put(
                "behind",
                behind
                        ? "AND (s.place, s.word, s.key) " + (target.descending() ? "<" : ">")
                                + " ($3::text::numeric, $4::text, ARRAY[" + key + "])"
                        : "");
        return phrases.in(SweepSql.STAMP, more).statement("stamp_next");
    }
}
