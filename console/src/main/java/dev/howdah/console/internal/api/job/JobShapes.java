package dev.howdah.console.internal.api.job;

import dev.howdah.console.internal.api.schema.Field;
import dev.howdah.console.internal.api.schema.FieldType;
import dev.howdah.console.internal.api.schema.Shape;
import java.util.List;

/** The shapes of jobs. */
final class JobShapes {
    private static final Field ID = Field.of("id", FieldType.ID, "the id of the job");

    static final Shape JOB = Shape.of(
            "Job",
            ID,
            Field.of("queue", FieldType.TEXT, "its queue"),
            Field.of("kind", FieldType.TEXT, "its kind"),
            Field.of(
                    "state",
                    FieldType.TEXT,
                    "waiting, planned, retrying, following, running, done, failed or cancelled; there may be more"),
            Field.of("priority", FieldType.INTEGER, "-100 to 100; lower runs first"),
            Field.of("attempt", FieldType.INTEGER, "the attempts that have begun"),
            Field.maybe("key", FieldType.TEXT, "its key"),
            Field.of("created", FieldType.TIME, "when it was added"),
            Field.of("run_at", FieldType.TIME, "when it is due, or was for its latest attempt"),
            Field.maybe("begun", FieldType.TIME, "when its latest attempt began"),
            Field.maybe("ended", FieldType.TIME, "when it was done, failed or was cancelled"),
            Field.maybe("node", FieldType.INTEGER, "the node of its latest attempt"),
            Field.maybe("error", FieldType.TEXT, "of its latest attempt, without secrets"),
            Field.maybe("result", FieldType.JSON, "what its handler has left, without secrets"),
            Field.maybe("payload", FieldType.JSON, "without secrets; not in lists"),
            Field.of("tags", FieldType.TEXTS, "sorted"),
            Field.maybe("metadata", FieldType.JSON, "without secrets"));

    static final Shape PAGE = Shape.of(
            "JobPage",
            Field.many("items", JOB, "the newest first"),
            Field.maybe("next", FieldType.TEXT, "the parameter after of the next page; absent: this is the last one"));

    static final Shape ADDED = Shape.of(
            "AddedJob",
            ID,
            Field.of("added", FieldType.BOOLEAN, "false: the job with that id has the same key, and waits or runs"));

    static final Shape NEW = Shape.of(
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
            Field.maybe("group", FieldType.TEXT, "groups of a queue take turns"));

    static final Shape MANY = Shape.of("NewJobs", Field.many("jobs", NEW, "1 to 1,000 jobs"));

    static final Shape ADDED_MANY =
            Shape.of("AddedJobs", Field.many("jobs", ADDED, "in the order in which they were sent"));

    static final Shape PRIORITY =
            Shape.of("Priority", Field.of("priority", FieldType.INTEGER, "-100 to 100; lower runs first"));

    static final Shape MOVE =
            Shape.of("Move", Field.of("queue", FieldType.TEXT, "the queue to which it is moved; made if it is new"));

    private static final Field ACTION = Field.of(
            "action", FieldType.TEXT, "retry, run-now, cancel, move, or delete, which needs the role administrator");

    private static final Field TO =
            Field.maybe("to", FieldType.TEXT, "of move: the queue to which they are moved; made if it is new");

    static final Shape CHANGE_MANY =
            Shape.of("ChangeJobs", ACTION, Field.of("ids", FieldType.TEXTS, "1 to 1,000 ids of jobs"), TO);

    static final Shape CHANGED_MANY = Shape.of(
            "ChangedJobs",
            Field.of("changed", FieldType.INTEGER, "how many were changed"),
            Field.of("unchanged", FieldType.INTEGER, "how many could not be changed, or are not there"));

    static final Shape CHANGE_ALL = Shape.of(
            "ChangeAllJobs",
            ACTION,
            TO,
            Field.of(
                    "state",
                    FieldType.TEXT,
                    "failed or cancelled to retry or delete; planned or retrying to run-now; waiting, planned or"
                            + " retrying to cancel or move"),
            Field.maybe("queue", FieldType.TEXT, "only of that queue"),
            Field.maybe("kind", FieldType.TEXT, "only of that kind"),
            Field.maybe("key", FieldType.TEXT, "only with that key"),
            Field.maybe("tag", FieldType.TEXT, "only with that tag"),
            Field.maybe("error", FieldType.TEXT, "only with that text in the error"),
            Field.maybe("from", FieldType.TIME, "not earlier"),
            Field.maybe(
                    "until", FieldType.TIME, "only earlier; those that fail from now on are not meant in any case"));

    static final Shape CHANGE = Shape.of(
            "Change",
            Field.of("id", FieldType.ID, "the id of the change"),
            Field.of("title", FieldType.TEXT, "what is changed and how"),
            Field.of("state", FieldType.TEXT, "waiting, running, stopping, done, stopped or failed; there may be more"),
            Field.maybe("expected", FieldType.INTEGER, "how many were counted; absent: they were too many"),
            Field.of("changed", FieldType.INTEGER, "how many were changed so far"),
            Field.of("unchanged", FieldType.INTEGER, "how many could not be changed"),
            Field.of("created", FieldType.TIME, "when it was asked for"),
            Field.maybe("started", FieldType.TIME, "when it began"),
            Field.maybe("ended", FieldType.TIME, "when it ended"),
            Field.maybe("error", FieldType.TEXT, "why it has failed"));

    static final Shape CHANGES = Shape.of("Changes", Field.many("items", CHANGE, "the newest first"));

    static final Shape CHANGED = Shape.of("Changed", Field.of("result", FieldType.TEXT, "what has happened"));

    static final List<Field> FILTER = List.of(
            Field.maybe("state", FieldType.TEXT, "running unless given"),
            Field.maybe("queue", FieldType.TEXT, "only of that queue"),
            Field.maybe("kind", FieldType.TEXT, "only of that kind"),
            Field.maybe("key", FieldType.TEXT, "only with that key"),
            Field.maybe("tag", FieldType.TEXT, "only with that tag"),
            Field.maybe("error", FieldType.TEXT, "only with that text in the error; needs the role operator"),
            Field.maybe("from", FieldType.TIME, "not earlier"),
            Field.maybe("until", FieldType.TIME, "only earlier"),
            Field.maybe("limit", FieldType.INTEGER, "1 to 500 jobs; 50 unless given"),
            Field.maybe("after", FieldType.TEXT, "next of the page before"));

    private JobShapes() {}
}
