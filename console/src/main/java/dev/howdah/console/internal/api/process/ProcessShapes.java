package dev.howdah.console.internal.api.process;

import dev.howdah.operations.listed.ProcessLists;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.operations.shape.Shape;

/** The shapes of processes. */
final class ProcessShapes {
    private static final Field ID = Field.of("id", FieldType.TEXT, "the id of the process");

    private static final Field STATUS = Field.of("status", FieldType.TEXT, "init, running or error; there may be more");

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
            Field.many("history", ProcessLists.EVENT.shape(), "the newest event first"),
            Field.maybe("next", FieldType.TEXT, "the parameter after of the earlier events; absent: there are none"));

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

    static final Field[] HISTORY = {
        Field.maybe("limit", FieldType.INTEGER, "1 to 500 events; 50 unless given"),
        Field.maybe("after", FieldType.ID, "next of the page before: earlier events")
    };

    private ProcessShapes() {}
}
