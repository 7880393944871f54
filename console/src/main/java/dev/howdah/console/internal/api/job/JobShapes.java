package dev.howdah.console.internal.api.job;

import dev.howdah.console.internal.api.operation.ApiChanges;
import dev.howdah.operations.listed.JobLists;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.operations.shape.Shape;
import java.util.ArrayList;
import java.util.List;

/** The shapes of jobs. */
public final class JobShapes {
    private static final Field ID = Field.of("id", FieldType.ID, "the id of the job");

    static final Field WAIT = Field.maybe(
            "wait", FieldType.INTEGER, "how many seconds the answer waits for its end: 0 to 25; 0 unless given");

    static final Shape ADDED = Shape.of(
            "AddedJob",
            ID,
            Field.of("added", FieldType.BOOLEAN, "false: the job with that id has the same key, and waits or runs"));

    /** A job that is added. */
    public static final Shape NEW = Shape.of(
            "NewJob",
            Field.of("kind", FieldType.TEXT, "1 to 200 characters"),
            Field.maybe("queue", FieldType.TEXT, "default unless given"),
            Field.maybe("payload", FieldType.JSON, "any JSON; null unless given; numbers keep their digits"),
            Field.maybe("priority", FieldType.INTEGER, "-100 to 100; lower runs first; 0 unless given"),
            Field.maybe("run_at", FieldType.TIME, "the earliest start; now unless given"),
            Field.maybe("delay", FieldType.DURATION, "instead of run_at"),
            Field.maybe(
                    "key", FieldType.TEXT, "no second job of the queue and kind with it is added before it has ended"),
            Field.maybe("attempts", FieldType.INTEGER, "1 to 10000; unless given as many as its handler allows"),
            Field.maybe("timeout", FieldType.DURATION, "of an attempt; unless given that of its handler"),
            Field.maybe("tags", FieldType.TEXTS, "up to 20, each of 1 to 100 characters"),
            Field.maybe("metadata", FieldType.OBJECT, "up to 4096 bytes"),
            Field.maybe("group", FieldType.TEXT, "groups of a queue take turns"),
            Field.maybe("weight", FieldType.INTEGER, "1 to 1000000: for how many jobs it counts in rates and turns"),
            Field.maybe(
                    "unique",
                    FieldType.OBJECT,
                    "which jobs are the same, and what becomes of the second: by, while, within, then, longest, most, as the option of howdah.add"),
            Field.maybe(
                    "version", FieldType.TIME, "of a job with a key: a newer version takes the place of an older one"),
            Field.maybe(
                    "order_key",
                    FieldType.TEXT,
                    "1 to 200 characters: jobs of one order key run one after the other; not with run_at, delay, key, attempts, timeout, unique or version"));

    static final Shape MANY =
            Shape.of("NewJobs", Field.many("jobs", new Shape("JobOfBatch", NEW.fields()), "1 to 1,000 jobs"));

    static final Shape ADDED_MANY =
            Shape.of("AddedJobs", Field.many("jobs", ADDED, "in the order in which they were sent"));

    private static final Field ACTION = Field.of(
            "action", FieldType.TEXT, "retry, run-now, cancel, move, or delete, which needs the role administrator");

    private static final Field TO =
            Field.maybe("to", FieldType.TEXT, "of move: the queue to which they are moved; made if it is new");

    static final Shape CHANGE_MANY =
            Shape.of("ChangeJobs", ACTION, Field.of("ids", FieldType.TEXTS, "1 to 1,000 ids of jobs"), TO);

    static final Shape CHANGED_MANY = ApiChanges.changed("ChangedJobs");

    static final Shape CHANGE_ALL = changeAll();

    private static Shape changeAll() {
        List<Field> fields = new ArrayList<>(List.of(ACTION, TO));
        fields.add(Field.of(
                "state",
                FieldType.TEXT,
                "failed or cancelled to retry or delete; planned or retrying to run-now; waiting, planned,"
                        + " retrying or suspended to cancel or move"));
        JobLists.FILTERS.forEach(each -> fields.add(Field.of(each)));
        return new Shape("ChangeAllJobs", fields);
    }

    static final Shape COUNTS = Shape.of(
            "JobsByState",
            Field.many(
                    "items",
                    Shape.of(
                            "JobsInState",
                            Field.of("state", FieldType.TEXT, "as in the parameter of the list of jobs"),
                            Field.count("jobs", "how many; of the state done, those that ended in the last hour")),
                    "one for each state"));

    private static final Shape ATTEMPT = Shape.of(
            "JobAttempt",
            Field.of(
                    "number", FieldType.INTEGER, "from 1; from 1 again after a retry, and in each stage of a pipeline"),
            Field.of("kind", FieldType.TEXT, "of the job then"),
            Field.of(
                    "result",
                    FieldType.TEXT,
                    "running, done, next-stage, retried, snoozed, failed, cancelled or node-crashed; there may be more"),
            Field.of("node", FieldType.INTEGER, "that ran it"),
            Field.of("begun", FieldType.TIME, "when it began, or was claimed"),
            Field.maybe("ended", FieldType.TIME, "when it ended; absent: it runs"),
            Field.maybe("error", FieldType.TEXT, "with its stack trace, without secrets"));

    private static final Shape SIGNAL = Shape.of(
            "JobSignal",
            Field.of("name", FieldType.TEXT, "that a handler waits for"),
            Field.of("sender", FieldType.TEXT, "the setting howdah.actor of its session, or else its role"),
            Field.of("sent", FieldType.TIME, "when it was sent"),
            Field.maybe("read", FieldType.TIME, "when a wait read it, or it was left out as a duplicate"),
            Field.maybe("problem", FieldType.TEXT, "why its payload could not be read"),
            Field.maybe("payload", FieldType.JSON, "what it says, without secrets"));

    private static final Shape CHILD = Shape.of(
            "JobChild",
            Field.of("name", FieldType.TEXT, "by which the handler has added it"),
            Field.of("number", FieldType.INTEGER, "which of that name, from 1"),
            Field.of("id", FieldType.INTEGER, "of the job"),
            Field.of("kind", FieldType.TEXT, "of the job"),
            Field.maybe("state", FieldType.TEXT, "done, failed or cancelled; null until it has ended"),
            Field.maybe("error", FieldType.TEXT, "the first line of its error, without secrets"));

    private static final Shape STEP = Shape.of(
            "JobStep",
            Field.of("name", FieldType.TEXT, "of the step"),
            Field.of("kind", FieldType.TEXT, "of the job then"),
            Field.of("attempt", FieldType.INTEGER, "in which it was done"),
            Field.of("at", FieldType.TIME, "when it was recorded"),
            Field.maybe("result", FieldType.JSON, "without secrets"));

    private static final Shape LINE = Shape.of(
            "JobLogLine",
            Field.of("at", FieldType.TIME, "when the handler has logged it"),
            Field.of("attempt", FieldType.INTEGER, "in which it did"),
            Field.of("line", FieldType.TEXT, "without secrets"));

    static final Shape HISTORY = Shape.of(
            "JobHistory",
            Field.maybe("progress", FieldType.NUMBER, "0 to 1, as the handler has said last"),
            Field.maybe("message", FieldType.TEXT, "what it has said with that, without secrets"),
            Field.many("attempts", ATTEMPT, "the first one first"),
            Field.many("steps", STEP, "those that are done"),
            Field.many("signals", SIGNAL, "those that were sent to it"),
            Field.maybe("parent", FieldType.INTEGER, "the job whose handler has added it as a child"),
            Field.many("children", CHILD, "those that its handler has added"),
            Field.many("log", LINE, "the last lines, in order"));

    static final Field LINES =
            Field.maybe("lines", FieldType.INTEGER, "1 to 10,000 lines of the log; 200 unless given");

    static final Shape CHANGE_ERRORS = Shape.of(
            "ChangeErrors",
            Field.of("pattern", FieldType.TEXT, "the pattern of a group of errors"),
            Field.maybe(
                    "state",
                    FieldType.TEXT,
                    "failed: the jobs begin anew; retrying: they are due now; failed unless given"),
            Field.maybe("queue", FieldType.TEXT, "only of that queue"),
            Field.maybe("kind", FieldType.TEXT, "only of that kind"));

    private JobShapes() {}
}
