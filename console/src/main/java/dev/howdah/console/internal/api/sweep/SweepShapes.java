package dev.howdah.console.internal.api.sweep;

import dev.howdah.operations.listed.SweepLists;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.operations.shape.Shape;

/** The shapes of sweeps. */
final class SweepShapes {
    private static final Field NAME = Field.of("name", FieldType.TEXT, "its name");

    static final Shape DETAIL = Shape.of(
            "SweepDetail",
            Field.one("sweep", SweepLists.SWEEP.shape(), "as in the list"),
            Field.of("definition", FieldType.JSON, "its table, key, condition and SQL, as an object of texts"),
            Field.of("limit", FieldType.NUMBER, "rows a second that may begin; 0: no limit"),
            Field.maybe("hours", FieldType.TEXT, "the times of the day at which rows begin"),
            Field.maybe("time_left", FieldType.DURATION, "at the rate of late"),
            Field.many("workers", SweepLists.WORKER.shape(), "of all processes that work on it"));

    static final Shape START = Shape.of(
            "StartSweep",
            NAME,
            Field.of("table", FieldType.TEXT, "the table or view, with its schema: public.invoice"),
            Field.of("key", FieldType.TEXTS, "one or more columns that are unique"),
            Field.of("where", FieldType.TEXT, "a condition that is false once a row is done"),
            Field.maybe("sql", FieldType.TEXT, "one statement for a batch of rows; absent: rows are only marked"),
            Field.maybe("mark", FieldType.TEXT, "what marks a row as done, as behind SET in an UPDATE"),
            Field.maybe("workers", FieldType.INTEGER, "1 to 16; 4 unless given"),
            Field.maybe("batch", FieldType.INTEGER, "the most rows of a batch, 1 to 10,000; 100 unless given"),
            Field.maybe("rows_per_second", FieldType.NUMBER, "a limit for all processes together"),
            Field.maybe("hours", FieldType.TEXT, "times of the day such as 22:00-06:00 Europe/Berlin"),
            Field.maybe("attempts", FieldType.INTEGER, "of a row, 1 to 1,000; 3 unless given"),
            Field.maybe("order", FieldType.TEXT, "a column with an index, also with DESC"),
            Field.maybe(
                    "run",
                    FieldType.TEXT,
                    "the column of the run number; howdah_internal.sweep_run: in a table of Howdah"),
            Field.maybe("again", FieldType.BOOLEAN, "a sweep of this name that has ended begins a new run"),
            Field.maybe("retry_failed", FieldType.BOOLEAN, "rows that have failed before are tried again"),
            Field.maybe("force", FieldType.BOOLEAN, "also without a useful index"),
            Field.maybe("dry_run", FieldType.BOOLEAN, "only say what it would do"));

    static final Shape PLAN = Shape.of(
            "SweepPlan",
            Field.of("started", FieldType.BOOLEAN, "false: it was a dry run"),
            Field.maybe("table", FieldType.TEXT, "of a dry run: with its schema"),
            Field.maybe("rows", FieldType.ID, "of a dry run: how many rows match"),
            Field.maybe("rows_exact", FieldType.BOOLEAN, "of a dry run: false: that is the planner's estimate"),
            Field.maybe("statements", FieldType.TEXTS, "of a dry run: the statements of a batch"),
            Field.maybe("objections", FieldType.TEXTS, "of a dry run: why it would be refused without force"));

    private SweepShapes() {}
}
