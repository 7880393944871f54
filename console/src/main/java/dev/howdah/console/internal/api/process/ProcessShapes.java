package dev.howdah.console.internal.api.process;

import dev.howdah.console.internal.api.schema.Field;
import dev.howdah.console.internal.api.schema.FieldType;
import dev.howdah.console.internal.api.schema.Shape;

/** The shapes of processes. */
final class ProcessShapes {
    private static final Field ID = Field.of("id", FieldType.TEXT, "the id of the process");

    private static final Field STATUS = Field.of("status", FieldType.TEXT, "init, running or error; there may be more");

    private static final Shape NAMESPACE = Shape.of(
            "Namespace",
            Field.of("name", FieldType.TEXT, "its name"),
            Field.of("outbox", FieldType.BOOLEAN, "whether its notices are published"),
            Field.count("broken", "processes in status error"),
            Field.count("due", "processes with a step that could begin"),
            Field.count("notices", "notices that wait to be published"),
            Field.count("blocked", "processes whose notice was refused"),
            Field.maybe("oldest", FieldType.TIME, "since when the first of the steps that could begin waits"));

    static final Shape NAMESPACES = Shape.of("Namespaces", Field.many("items", NAMESPACE, "by name"));

    private static final Shape LISTED = Shape.of(
            "ListedProcess",
            ID,
            STATUS,
            Field.of("status_changed", FieldType.TIME, "since when it has that status"),
            Field.of("created", FieldType.TIME, "when it was started"),
            Field.maybe("detail", FieldType.TEXT, "why it is in error, without secrets"),
            Field.of("last_event", FieldType.ID, "the id of its last event; 0: it has none"),
            Field.of("queued", FieldType.INTEGER, "the calls that wait or run"),
            Field.maybe("timer", FieldType.TIME, "when its timer is due"));

    static final Shape PAGE =
            Shape.of("ProcessPage", Field.many("items", LISTED, "in the order of sort"), Field.NEXT, Field.PREVIOUS);

    private static final Shape EVENT = Shape.of(
            "ProcessEvent",
            Field.of("id", FieldType.ID, "of the event in its process"),
            Field.of("timestamp", FieldType.TIME, "its time"),
            Field.of("task", FieldType.ID, "the task whose step has added it"),
            Field.maybe("payload", FieldType.JSON, "without secrets"),
            Field.maybe("metadata", FieldType.JSON, "without secrets"));

    static final Shape PROCESS = Shape.of(
            "Process",
            Field.of("namespace", FieldType.TEXT, "its namespace"),
            ID,
            STATUS,
            Field.of("previous_status", FieldType.TEXT, "the one before"),
            Field.of("status_changed", FieldType.TIME, "since when it has that status"),
            Field.of("created", FieldType.TIME, "when it was started"),
            Field.maybe("detail", FieldType.TEXT, "why it is in error, without secrets"),
            Field.maybe("corrupted_by", FieldType.ID, "the task of the timer that has broken it"),
            Field.maybe("aux_state", FieldType.JSON, "what its processor keeps beside the history, without secrets"),
            Field.maybe("metadata", FieldType.JSON, "without secrets"),
            Field.of("last_event", FieldType.ID, "the id of its last event; 0: it has none"),
            Field.maybe("timer", FieldType.TIME, "when its timer is due"),
            Field.many("history", EVENT, "the newest event first"),
            Field.maybe("next", FieldType.TEXT, "the parameter after of the earlier events; absent: there are none"));

    private static final Shape STEP = Shape.of(
            "ProcessTask",
            Field.of("task", FieldType.ID, "the id of the task"),
            Field.of("type", FieldType.TEXT, "init, call, notify, timeout, repair or remove; there may be more"),
            Field.of("status", FieldType.TEXT, "of the task"),
            Field.of("scheduled", FieldType.TIME, "when it was accepted, or is due"),
            Field.maybe("running", FieldType.TIME, "when it has begun"),
            Field.maybe("finished", FieldType.TIME, "when it has ended"),
            Field.of("attempts_before", FieldType.INTEGER, "how many attempts there were before"),
            Field.maybe("args", FieldType.JSON, "what was asked, without secrets"),
            Field.maybe("response", FieldType.JSON, "its answer, without secrets"),
            Field.maybe("error", FieldType.TEXT, "the error that is its answer, without secrets"));

    static final Shape TRACE = Shape.of(
            "ProcessTrace",
            Field.many("items", STEP, "the newest tasks: those that have run in order, then those that have not"));

    private static final Field ARGS = Field.maybe("args", FieldType.JSON, "for the processor");
    private static final Field CONTEXT =
            Field.maybe("context", FieldType.JSON, "for the processor, and passed on to timers that its step sets");
    private static final Field WAIT =
            Field.maybe("wait", FieldType.INTEGER, "1 to 25 seconds to wait for the answer; 10 unless given");

    static final Shape START =
            Shape.of("StartProcess", Field.of("id", FieldType.TEXT, "1 to 256 characters"), ARGS, CONTEXT, WAIT);

    static final Shape ASK = Shape.of("AskProcess", ARGS, CONTEXT, WAIT);

    static final Shape ANSWER = Shape.of(
            "ProcessAnswer",
            ID,
            Field.maybe("response", FieldType.JSON, "the answer of the step, without secrets; absent: there is none"));

    static final Field[] FILTER = {
        Field.maybe("status", FieldType.TEXT, "init, running or error; any unless given"),
        Field.maybe(
                "prefix",
                FieldType.TEXT,
                "only ids that begin so; a page looks at 20,000 processes, and may be short or empty though it has a next"),
        Field.maybe("limit", FieldType.INTEGER, "1 to 500 processes; 50 unless given"),
        Field.AFTER,
        Field.BEFORE,
        Field.maybe("sort", FieldType.TEXT, "id, reverse-id, newest or oldest; id unless given")
    };

    static final Field[] HISTORY = {
        Field.maybe("limit", FieldType.INTEGER, "1 to 500 events; 50 unless given"),
        Field.maybe("after", FieldType.ID, "next of the page before: earlier events")
    };

    static final Field LIMIT = Field.maybe("limit", FieldType.INTEGER, "1 to 500 tasks; 50 unless given");

    private ProcessShapes() {}
}
