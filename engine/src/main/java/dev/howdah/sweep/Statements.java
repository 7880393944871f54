package dev.howdah.sweep;

import dev.howdah.internal.sql.Identifiers;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The statements of one sweep, with its table, condition, mark and work put in. Immutable. */
final class Statements {
    private static final SqlFile ROW = SqlFile.of(Statements.class, "row.sql");
    private static final SqlFile CANDIDATE = SqlFile.of(Statements.class, "candidate.sql");
    private static final SqlFile STAMP = SqlFile.of(Statements.class, "stamp.sql");
    private static final Pattern NUMBER = Pattern.compile("smallint|integer|bigint|numeric|real|double precision");
    private static final Pattern TIME = Pattern.compile("date|time(stamp)? .*|interval");

    private final Target target;
    private final boolean hasStamps;
    private final Map<String, String> names = new HashMap<>();
    private final SqlFile row;

    /**
     * @param started the moment in which the sweep began, as PostgreSQL reads it
     * @param number of the sweep, by which rows of its run are known
     */
    Statements(Definition definition, Target target, String started, int number) {
        this.target = target;
        this.hasStamps = definition.hasStamps();
        int columns = target.key().size();
        names.put("table", target.qualified());
        names.put("row", Identifiers.quote(target.name()));
        names.put("all", Identifiers.quote(target.name()) + ".*");
        names.put("oid", Long.toString(target.oid()));
        String condition = "\n" + Fragment.of("the condition", definition.where(), started);
        names.put("condition", condition);
        Target.Column run = target.run();
        names.put(
                "where", run == null ? condition : target.qualified(run) + " = " + number + " AND (" + condition + ")");
        if (definition.mark() != null) names.put("mark", "\n" + Fragment.of("the mark", definition.mark(), started));
        if (definition.sql() != null) {
            String work = Fragment.of("the work", definition.sql(), started);
            names.put("work", "\n" + Fragment.behindWith(work));
            names.put("recursive", Fragment.isRecursive(work) ? "RECURSIVE" : "");
        }
        names.put("keys", each(columns, i -> target.qualified(target.key().get(i)) + "::text"));
        names.put("named_keys", each(columns, i -> target.qualified(target.key().get(i)) + "::text AS k" + (i + 1)));
        names.put(
                "null_key",
                target.key().stream()
                        .map(each -> target.qualified(each) + " IS NULL")
                        .collect(Collectors.joining(" OR ")));
        names.put("key_names", each(columns, i -> target.key().get(i).quoted()));
        names.put("arrays", each(columns, i -> "$" + (i + 1) + "::text[]"));
        names.put("names", each(columns, i -> "k" + (i + 1)));
        String locals = each(columns, i -> "k.k" + (i + 1));
        names.put("locals", locals);
        names.put("hashed", columns == 1 ? locals : "concat_ws(E'\\x1f', " + locals + ")");
        names.put(
                "keep",
                each(
                        columns,
                        i -> "set_config('howdah.sweep_key" + (i + 1) + "', COALESCE(array_agg(l.k" + (i + 1)
                                + ")::text, '{}'), false)"));
        names.put(
                "choose",
                each(
                        columns,
                        i -> "set_config('howdah.sweep_key" + (i + 1) + "', ($" + (i + 1) + "::text[])::text, false)"));
        names.put("kept", each(columns, i -> kept(i, "text")));
        names.put("match", match());
        this.row = ROW.with(names);
    }

    /** Whether the rows of the run are read from the table of stamps. */
    boolean hasStamps() {
        return hasStamps;
    }

    /** How many columns a row that is read has in front of its key. */
    int leading() {
        return hasStamps ? 2 : target.order() == null ? 0 : 1;
    }

    private static String each(int columns, IntFunction<String> part) {
        return IntStream.range(0, columns).mapToObj(part).collect(Collectors.joining(", "));
    }

    private static String kept(int column, String type) {
        return "current_setting('howdah.sweep_key" + (column + 1) + "')::" + type + "[]";
    }

    /** That a row is one of the batch. */
    private String match() {
        if (target.key().size() == 1)
            return target.qualified(target.key().get(0)) + " = ANY ("
                    + kept(0, target.key().get(0).type()) + ")";
        return "("
                + each(target.key().size(), i -> target.qualified(target.key().get(i))) + ") IN (SELECT * FROM unnest("
                + each(target.key().size(), i -> kept(i, target.key().get(i).type())) + "))";
    }

    /** A statement of {@code row.sql}. */
    Sql row(String name) {
        return row.statement(name);
    }

    /** A statement of {@code candidate.sql}, about all rows. */
    Sql candidate(String name) {
        Map<String, String> all = new HashMap<>(names);
        all.put("sorted", sorted(true));
        all.put("read", read());
        return CANDIDATE.with(all).statement(name);
    }

    /**
     * Which rows a pass reads one after another. There are two where the column of the order can be NULL, because NULL is
     * neither before nor behind anything.
     */
    enum Segment {
        ALL,
        ORDERED,
        UNORDERED
    }

    /**
     * A statement that reads the keys of rows in their order.
     *
     * @param behind whether behind some row
     */
    Sql reading(String name, Segment segment, boolean behind) {
        Map<String, String> all = new HashMap<>(names);
        String place = switch (segment) {
            case ALL -> "true";
            case ORDERED -> orderColumn() + " IS NOT NULL";
            case UNORDERED -> orderColumn() + " IS NULL";
        };
        all.put("segment", place);
        if (segment != Segment.ALL) all.put("where", place + " AND (" + names.get("where") + ")");
        all.put("read", read());
        all.put("sorted", sorted(segment != Segment.UNORDERED || target.order() != null));
        all.put("bound", behind ? bound(segment) : "");
        return CANDIDATE.with(all).statement(name);
    }

    private String orderColumn() {
        Target.Column order = target.order();
        return order == null ? "true" : target.qualified(order);
    }

    private String read() {
        String keys =
                each(target.key().size(), i -> target.qualified(target.key().get(i)) + "::text");
        return target.order() == null ? keys : orderColumn() + "::text, " + keys;
    }

    private String sorted(boolean withOrder) {
        String direction = target.descending() ? " DESC" : "";
        String keys =
                each(target.key().size(), i -> target.qualified(target.key().get(i)) + direction);
        return target.order() == null || !withOrder ? keys : orderColumn() + direction + ", " + keys;
    }

    /** That a row comes behind one whose columns are the parameters from $3 on. */
    private String bound(Segment segment) {
        Target.Column order = segment == Segment.UNORDERED ? null : target.order();
        int first = order == null ? 3 : 4;
        String columns =
                each(target.key().size(), i -> target.qualified(target.key().get(i)));
        String values = each(
                target.key().size(),
                i -> "$" + (first + i) + "::text::" + target.key().get(i).type());
        if (order != null) {
            columns = orderColumn() + ", " + columns;
            values = "$3::text::" + order.type() + ", " + values;
        }
        return "AND (" + columns + ") " + (target.descending() ? "<" : ">") + " (" + values + ")";
    }

    /**
     * A statement of {@code stamp.sql}.
     *
     * @param behind whether behind some key
     */
    Sql stamp(String name, boolean behind) {
        int columns = target.key().size();
        Map<String, String> all = new HashMap<>(names);
        String keys = each(columns, i -> target.qualified(target.key().get(i)));
        all.put("columns", keys);
        all.put("by_key", keys);
        all.put(
                "typed",
                each(columns, i -> "k.k" + (i + 1) + "::" + target.key().get(i).type()));
        String values = each(
                columns, i -> "$" + (3 + i) + "::text::" + target.key().get(i).type());
        all.put("bound", behind ? "AND (" + keys + ") > (" + values + ")" : "");
        Target.Column run = target.run();
        if (run != null) {
            all.put("run", target.qualified(run));
            all.put("run_name", run.quoted());
        }
        all.put("place", place());
        all.put("word", word());
        return STAMP.with(all).statement(name);
    }

    private Target.Column first() {
        Target.Column order = target.order();
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
    Sql stamped(boolean behind) {
        int columns = target.key().size();
        Map<String, String> all = new HashMap<>(names);
        all.put("columns", each(columns, i -> target.qualified(target.key().get(i))));
        all.put("column", target.qualified(target.key().get(0)));
        all.put("stamps", each(columns, i -> "howdah_r.howdah_key[" + (i + 1) + "]"));
        all.put(
                "stamped_types",
                each(
                        columns,
                        i -> "howdah_r.howdah_key[" + (i + 1) + "]::"
                                + target.key().get(i).type()));
        String direction = target.descending() ? " DESC" : "";
        all.put("by_place", "s.place" + direction + ", s.word" + direction + ", s.key" + direction);
        String key = each(columns, i -> "$" + (5 + i) + "::text");
        all.put(
                "behind",
                behind
                        ? "AND (s.place, s.word, s.key) " + (target.descending() ? "<" : ">")
                                + " ($3::text::numeric, $4::text, ARRAY[" + key + "])"
                        : "");
        return STAMP.with(all).statement("next");
    }
}
