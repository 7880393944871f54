package dev.howdah.console.internal.api.worker;

import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.operations.shape.Shape;

/** The shapes of what workers say and are answered. */
final class WorkerShapes {
    private static final Field TOKEN = Field.of("token", FieldType.TEXT, "of the claim");

    private static final Field STOP = Field.maybe(
            "stop",
            FieldType.TEXT,
            "why it shall stop: cancelled, timeout, node-stopping or claim-lost; absent: it shall not");

    private static final Field LEASE =
            Field.of("lease", FieldType.INTEGER, "seconds until the next heartbeat has to come");

    private static final Field PROBLEM = Field.maybe(
            "problem",
            FieldType.OBJECT,
            "why this one was refused, as the problem of a request for it alone; absent: it was not");

    /** As messages and descriptions list them. */
    static final String OUTCOMES = "complete, fail, snooze, release, cancel";

    static final Shape CLAIM = Shape.of(
            "ClaimRequest",
            Field.of("kinds", FieldType.TEXTS, "1 to 20 kinds that the worker does"),
            Field.maybe("queues", FieldType.TEXTS, "1 to 20 queues; default unless given"),
            Field.maybe("max", FieldType.INTEGER, "1 to 100 jobs; 1 unless given"),
            Field.maybe(
                    "wait",
                    FieldType.INTEGER,
                    "0 to 25 seconds to wait for a job; 20 unless given; 0: it is answered once the queues have been looked at"),
            Field.maybe(
                    "lease",
                    FieldType.INTEGER,
                    "5 to 3600 seconds: a worker that is silent for longer has lost the job; 30 unless given"),
            Field.maybe("worker", FieldType.TEXT, "a name for errors, up to 100 characters"));

    static final Shape JOB = Shape.of(
            "ClaimedJob",
            TOKEN,
            Field.of("id", FieldType.ID, "the id of the job"),
            Field.of("queue", FieldType.TEXT, "its queue"),
            Field.of("kind", FieldType.TEXT, "its kind"),
            Field.of("payload", FieldType.JSON, "as it was added"),
            Field.of("attempt", FieldType.INTEGER, "from 1"),
            Field.of("last_attempt", FieldType.BOOLEAN, "true: if it fails, no other one follows"),
            Field.of("run_at", FieldType.TIME, "when it was due"),
            Field.of("created", FieldType.TIME, "when it was added"),
            Field.of("tags", FieldType.TEXTS, "its tags"),
            Field.of("metadata", FieldType.OBJECT, "its metadata; empty: it has none"),
            Field.of("lease", FieldType.INTEGER, "seconds until the next heartbeat has to come"),
            Field.of("fencing_token", FieldType.ID, "grows with each claim of the job; for other systems"),
            Field.maybe(
                    "timeout",
                    FieldType.DURATION,
                    "after which a heartbeat says that the worker shall stop; absent: it has none"),
            Field.maybe("trace", FieldType.OBJECT, "headers of W3C Trace Context with which it was added"),
            Field.maybe(
                    "predecessors",
                    FieldType.OBJECT,
                    "of a job of a workflow: the state, result and error of the jobs that it has waited for, by their names"));

    static final Shape CLAIMS = Shape.of("Claims", Field.many("claims", JOB, "empty: no job was due within the time"));

    static final Shape WITHDRAW =
            Shape.of("WithdrawRequest", Field.of("key", FieldType.TEXT, "the Idempotency-Key of the request for jobs"));

    static final Shape WITHDRAWN = Shape.of(
            "Withdrawn",
            Field.of(
                    "withdrawn",
                    FieldType.BOOLEAN,
                    "false: no request of that key waits, and no job that it was answered with runs"));

    static final Shape HEARTBEAT = Shape.of(
            "Heartbeat",
            TOKEN,
            Field.maybe("progress", FieldType.NUMBER, "0 to 1"),
            Field.maybe("message", FieldType.TEXT, "of the progress"),
            Field.maybe("log", FieldType.TEXTS, "up to 100 lines for the log of the job"));

    static final Shape ALIVE = Shape.of(
            "Alive",
            Field.of("cancel", FieldType.BOOLEAN, "true: stop, and say within 25 seconds how the job ended"),
            STOP,
            LEASE);

    static final Shape HEARTBEATS = Shape.of("HeartbeatBatch", Field.many("jobs", HEARTBEAT, "1 to 100 jobs"));

    static final Shape ALL_ALIVE = Shape.of(
            "AliveBatch",
            Field.many(
                    "jobs",
                    Shape.of(
                            "AliveJob",
                            TOKEN,
                            Field.maybe(
                                    "cancel", FieldType.BOOLEAN, "as of one heartbeat; absent: the problem says why"),
                            STOP,
                            Field.maybe("lease", FieldType.INTEGER, "seconds until the next heartbeat has to come"),
                            PROBLEM),
                    "in the order of the request"));

    private static final Shape STAGE = Shape.of(
            "NextStage",
            Field.of("kind", FieldType.TEXT, "1 to 200 characters"),
            Field.maybe("queue", FieldType.TEXT, "that of the job unless given"),
            Field.maybe("payload", FieldType.JSON, "that of the job unless given; numbers keep their digits"));

    static final Shape COMPLETE = Shape.of(
            "Complete",
            TOKEN,
            Field.maybe("result", FieldType.JSON, "kept with the history of the job"),
            Field.maybe(
                    "next",
                    FieldType.OBJECT,
                    STAGE,
                    "instead of result: this stage is done, and the job goes on as one of that kind"));

    static final Shape FAIL = Shape.of(
            "Fail",
            TOKEN,
            Field.of("error", FieldType.TEXT, "why: its first line stands in lists, a stack trace may follow"),
            Field.maybe("retry", FieldType.BOOLEAN, "false: no other attempt follows; true unless given"),
            Field.maybe("delay", FieldType.DURATION, "of the next attempt; 1 s, 2 s, 4 s, ... to 1 h unless given"));

    static final Shape SNOOZE =
            Shape.of("Snooze", TOKEN, Field.of("delay", FieldType.DURATION, "after which the job is due again"));

    static final Shape RELEASE = Shape.of("Release", TOKEN);

    static final Shape CANCEL = Shape.of(
            "CancelClaimed", TOKEN, Field.maybe("error", FieldType.TEXT, "why; cancelled by its handler unless given"));

    static final Shape ENDED = Shape.of("Ended", Field.of("id", FieldType.ID, "the id of the job"));

    static final Shape ENDS = Shape.of(
            "EndBatch",
            Field.many(
                    "jobs",
                    Shape.of(
                            "End",
                            TOKEN,
                            Field.of("outcome", FieldType.TEXT, "one of " + OUTCOMES),
                            Field.maybe("result", FieldType.JSON, "of complete"),
                            Field.maybe("next", FieldType.OBJECT, STAGE, "of complete"),
                            Field.maybe("error", FieldType.TEXT, "of fail, which needs it, and of cancel"),
                            Field.maybe("retry", FieldType.BOOLEAN, "of fail"),
                            Field.maybe("delay", FieldType.DURATION, "of fail, and of snooze, which needs it")),
                    "1 to 100 jobs"));

    static final Shape ALL_ENDED = Shape.of(
            "EndedBatch",
            Field.many(
                    "jobs",
                    Shape.of(
                            "EndedJob",
                            TOKEN,
                            Field.maybe(
                                    "id",
                                    FieldType.ID,
                                    "the id of the job: it is written; absent: the problem says why not"),
                            PROBLEM),
                    "in the order of the request"));

    private WorkerShapes() {}
}
