package dev.howdah.console.internal.sweep;

import dev.howdah.console.internal.form.FormFields;
import dev.howdah.operations.change.SweepOperations;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.sweep.Sweep;
import dev.howdah.sweep.SweepBuilder;
import dev.howdah.sweep.SweepException;
import dev.howdah.sweep.SweepPlan;
import dev.howdah.sweep.SweepProgress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.IntConsumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The form by which a sweep is started: its definition, and the settings of its workers here. For one thread. */
final class SweepForm {
    /** How sweeps stand in {@code run} of their definition whose stamps are rows of a table of Howdah's. */
    private static final String STAMPS = "howdah_internal.sweep_run";

    static final String NAME = "name";
    static final String TABLE = "table";
    static final String SQL = "sql";
    static final String MARK = "mark";

    /** Whether rows are only marked. */
    static final String WORK = "work";

    static final String ONLY_MARK = "mark";
    private static final String WHERE = "where";
    private static final String KEY = "key";
    private static final String ORDER = "order";
    private static final String RUN = "run";
    private static final String WORKERS = "workers";
    private static final String BATCH = "batch";
    private static final String ROWS = "rows";
    private static final String HOURS = "hours";
    private static final String ATTEMPTS = "attempts";
    private static final String AGAIN = "again";
    private static final String RETRY = "retry";
    static final String FORCE = "force";
    static final String YES = "yes";

    private static final List<String> NAMES = List.of(
            NAME, TABLE, KEY, WHERE, WORK, SQL, MARK, WORKERS, BATCH, ROWS, HOURS, ATTEMPTS, ORDER, RUN, AGAIN, RETRY,
            FORCE);

    private static final int MOST_BATCH = 10_000;
    private static final int MOST_ATTEMPTS = 1_000;
    private static final Duration SKIP = Duration.ofSeconds(10);
    private static final int USUAL_WORKERS = 4;

    /** How long rows in work may take when the console ends. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final FormFields fields;
    private int workers = USUAL_WORKERS;

    private SweepForm(FormFields fields) {
        this.fields = fields;
    }

    /** As it is first shown. */
    static SweepForm empty() {
        SweepForm form = new SweepForm(new FormFields(NAMES, name -> null));
        form.fields.set(WORKERS, Integer.toString(USUAL_WORKERS));
        return form;
    }

    /** With the definition of a sweep that there is. */
    static SweepForm of(SweepProgress sweep) {
        SweepForm form = empty();
        form.fields.set(NAME, sweep.name());
        Map<String, String> definition = sweep.definition();
        for (String each : List.of(TABLE, KEY, WHERE, SQL, MARK, ORDER, RUN))
            form.fields.set(each, definition.getOrDefault(each, ""));
        return form;
    }

    /** Reads what was typed. */
    static SweepForm read(Function<String, @Nullable String> typed, @Nullable String name) {
        SweepForm form = new SweepForm(new FormFields(NAMES, typed));
        if (name != null) form.fields.set(NAME, name);
        return form;
    }

    FormFields fields() {
        return fields;
    }

    String name() {
        return fields.text(NAME);
    }

    /** How many workers it has here, once {@link #builder} has read that. */
    int workers() {
        return workers;
    }

    boolean isOnlyMarked() {
        return fields.text(WORK).equals(ONLY_MARK);
    }

    /** What it would do, which changes nothing. From now on the form names the table with its schema. */
    SweepPlan check(SweepBuilder builder) {
        SweepPlan plan = builder.dryRun();
        fields.set(TABLE, plan.table());
        return plan;
    }

    /** The sweep that was typed; null: something is wrong with it, which stands beside its field. */
    @Nullable
    SweepBuilder builder(DataSource source) {
        SweepBuilder sweep = Sweep.on(source).shutdownTimeout(GRACE).nodeName("console");
        String name =
                fields.given(NAME, "the sweep needs a name: processes that start one of the same name share its rows");
        if (name != null) fields.attempt(NAME, () -> sweep.name(name));
        String table = fields.given(TABLE, "the sweep needs a table");
        if (table != null) sweep.table(table);
        String where = fields.given(WHERE, "the sweep needs a condition that says which rows are still to do");
        if (where != null) sweep.where(where);
        String key = fields.given(KEY, "the sweep needs the columns of a key");
        if (key != null) fields.attempt(KEY, () -> sweep.key(key.split("\\s*,\\s*", -1)));
        work(sweep);
        settings(sweep);
        return fields.errors().isEmpty() ? sweep : null;
    }

    private void work(SweepBuilder sweep) {
        String sql = fields.text(SQL);
        String mark = fields.text(MARK);
        if (isOnlyMarked()) {
            if (!sql.isEmpty()) fields.wrong(SQL, "there is SQL, and rows are to be marked only: one of them is wrong");
            if (mark.isEmpty())
                fields.wrong(MARK, "a row that is only marked needs a mark, such as last_mail_at = now()");
        } else if (sql.isEmpty()) {
            fields.wrong(SQL, "there is no SQL: type one, or choose that rows are only marked");
        }
        if (!sql.isEmpty()) sweep.sql(sql);
        if (!mark.isEmpty()) sweep.mark(mark);
    }

    private void settings(SweepBuilder sweep) {
        IntConsumer crew = count -> {
            workers = count;
            sweep.workers(count);
        };
        fields.useNumber(WORKERS, "the number of workers", 1, StartedSweeps.MOST_WORKERS, crew::accept);
        fields.useNumber(BATCH, "the number of rows", 1, MOST_BATCH, sweep::batch);
        fields.useNumber(
                ATTEMPTS,
                "the number of attempts",
                1,
                MOST_ATTEMPTS,
                count -> sweep.retries(RetryPolicy.linear(SKIP, count)));
        fields.use(
                ROWS, text -> sweep.maxRowsPerSecond(SweepOperations.RATE.type().read(text)));
        fields.use(HOURS, sweep::between);
        fields.use(ORDER, sweep::orderBy);
        fields.use(RUN, column -> {
            if (column.equals(STAMPS)) sweep.runTable();
            else sweep.runColumn(column);
        });
        if (fields.text(AGAIN).equals(YES)) sweep.again();
        if (fields.text(RETRY).equals(YES)) sweep.retryFailed();
        if (fields.text(FORCE).equals(YES)) sweep.force();
    }

    /**
     * Why rows must not be marked now, although the definition is the same: programs whose work has no name in it work on them.
     *
     * @param there the sweep of that name; null: there is none
     */
    static @Nullable String refusal(SweepForm form, @Nullable SweepProgress there) {
        if (there == null || !form.isOnlyMarked() || there.workers().isEmpty()) return null;
        return "other processes work on this sweep, and the database does not know what they do with a row:"
                + " rows that are only marked here would be lost to them";
    }

    /** What is said of work: the choices of the field. */
    static Map<String, String> works() {
        Map<String, String> works = new LinkedHashMap<>();
        works.put("", "the SQL, in the transaction that marks its rows: exactly once");
        works.put(ONLY_MARK, "none: rows are only marked");
        return works;
    }

    /** Whether one of the settings that most sweeps do without is set, or wrong. */
    boolean hasMore() {
        for (String each : List.of(BATCH, ROWS, HOURS, ATTEMPTS, ORDER, RUN, AGAIN, RETRY, FORCE))
            if (!fields.text(each).isEmpty() || fields.error(each) != null) return true;
        return false;
    }

    /** What the engine says, without the name of the sweep, which stands above the form. */
    static String said(SweepException refused) {
        return Objects.requireNonNullElse(refused.getMessage(), "it cannot begin");
    }
}
