package dev.howdah.sweep.internal.statements;

import dev.howdah.internal.sql.SqlFile;
import dev.howdah.internal.text.Identifiers;
import dev.howdah.sweep.internal.store.SqlFragment;
import dev.howdah.sweep.internal.store.SweepDefinition;
import dev.howdah.sweep.internal.store.TargetTable;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The parts that stand in the statements of one sweep for its table, key, condition, mark and work. Immutable. */
final class StatementTemplate {
    private final TargetTable target;
    private final int columns;
    private final Map<String, String> all = new HashMap<>();

    /**
     * @param started the moment in which the sweep began, as PostgreSQL reads it
     * @param number of the sweep, by which rows of its run are known
     */
    StatementTemplate(SweepDefinition definition, TargetTable target, String started, int number) {
        this.target = target;
        this.columns = target.key().size();
        all.put("table", target.qualified());
        all.put("row", Identifiers.quote(target.name()));
        all.put("all", Identifiers.quote(target.name()) + ".*");
        all.put("oid", Long.toString(target.oid()));
        String condition = "\n" + SqlFragment.of("the condition", definition.where(), started);
        all.put("condition", condition);
        TargetTable.Column run = target.run();
        String ofRun = run == null ? "true" : target.qualified(run) + " = " + number;
        all.put("of_run", ofRun);
        all.put("where", run == null ? condition : ofRun + " AND (" + condition + ")");
        if (definition.mark() != null) all.put("mark", "\n" + SqlFragment.of("the mark", definition.mark(), started));
        if (definition.sql() != null) {
            String work = SqlFragment.of("the work", definition.sql(), started);
            all.put("work", "\n" + SqlFragment.behindWith(work));
            all.put("recursive", SqlFragment.isRecursive(work) ? "RECURSIVE" : "");
        }
        key();
        batch();
    }

    private void key() {
        all.put("keys", each(this::text));
        all.put("named_keys", each(i -> text(i) + " AS k" + (i + 1)));
        all.put(
                "null_key",
                target.key().stream()
                        .map(each -> target.qualified(each) + " IS NULL")
                        .collect(Collectors.joining(" OR ")));
        all.put("key_names", each(i -> target.key().get(i).quoted()));
        all.put("names", each(i -> "k" + (i + 1)));
        String locals = each(i -> "k.k" + (i + 1));
        all.put("locals", locals);
        all.put("hashed", columns == 1 ? locals : "concat_ws(E'\\x1f', " + locals + ")");
    }

    /** The keys of a batch: as parameters, and as the session keeps them. */
    private void batch() {
        all.put("arrays", each(i -> "$" + (i + 1) + "::text[]"));
        all.put(
                "keep",
                each(i -> "set_config('howdah.sweep_key" + (i + 1) + "', COALESCE(array_agg(l.k" + (i + 1)
                        + ")::text, '{}'), false)"));
        all.put(
                "choose",
                each(i -> "set_config('howdah.sweep_key" + (i + 1) + "', ($" + (i + 1) + "::text[])::text, false)"));
        all.put("kept", each(i -> kept(i, "text")));
        all.put(
                "match",
                columns == 1
                        ? column(0) + " = ANY (" + kept(0, type(0)) + ")"
                        : "(" + columns() + ") IN (SELECT * FROM unnest(" + each(i -> kept(i, type(i))) + "))");
    }

    private static String kept(int column, String type) {
        return "current_setting('howdah.sweep_key" + (column + 1) + "')::" + type + "[]";
    }

    TargetTable target() {
        return target;
    }

    /** A part for each column of the key. */
    String each(IntFunction<String> part) {
        return IntStream.range(0, columns).mapToObj(part).collect(Collectors.joining(", "));
    }

    /** A column of the key, qualified and quoted. */
    String column(int i) {
        return target.qualified(target.key().get(i));
    }

    /** The text of a column of the key. */
    private String text(int i) {
        return "(" + target.key().get(i).text(column(i)) + ")";
    }

    /** The columns of the key. */
    String columns() {
        return each(this::column);
    }

    /** The type of a column of the key. */
    String type(int i) {
        return target.key().get(i).type();
    }

    /** A key that is handed over as parameters, from that number on. */
    String values(int first) {
        return each(i -> "$" + (first + i) + "::text::" + type(i));
    }

    String get(String name) {
        return all.getOrDefault(name, "");
    }

    /** The statements of a file for this sweep. */
    SqlFile in(SqlFile file, Map<String, String> more) {
        Map<String, String> both = new HashMap<>(all);
        both.putAll(more);
        return file.with(both);
    }
}
