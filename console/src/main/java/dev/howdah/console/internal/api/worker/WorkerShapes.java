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

    private static final Field NUMBER = Field.of(
            "number",
            FieldType.INTEGER,
            "of this call, from 1 on for each claim: the same call again is answered as before");

    private static final Field CAUSE = Field.maybe(
            "cause",
            FieldType.INTEGER,
            "of fail: the number of the call that was answered with the failure which the handler has not caught; the job has failed by that");

    private static final Field SUSPENDED = Field.of(
            "suspended",
            FieldType.BOOLEAN,
            "true: the claim is over, and the job is claimed again when its wait has ended");

    private static final Field FAILED = Field.maybe(
            "failed",
            FieldType.OBJECT,
            Shape.of(
                    "FailedCall",
                    Field.of(
                            "type", FieldType.TEXT, "such as ChildFailedException, WaitTimeoutException or StepFailed"),
                    Field.of("message", FieldType.TEXT, "what has failed"),
                    Field.maybe("child", FieldType.ID, "of a child or a job that was waited for"),
                    Field.maybe("state", FieldType.TEXT, "failed or cancelled, of the same")),
            "what each run of this job is told at this place; absent: nothing has failed");

    private static final Shape CHILD = Shape.of(
            "ChildJob",
            Field.of("name", FieldType.TEXT, "by which it was added"),
            Field.of("number", FieldType.INTEGER, "which of that name, from 1"),
            Field.of("id", FieldType.ID, "the id of the job"));

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
            Field.maybe("worker", FieldType.TEXT, "a name for errors, up to 100 characters"),
            Field.maybe(
                    "version",
                    FieldType.TEXT,
                    "of the worker's handlers: jobs that have waited under another one are not its; all are unless given"),
            Field.maybe("also_runs", FieldType.TEXTS, "earlier versions whose jobs it goes on with, too"));

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
            Field.maybe("delay", FieldType.DURATION, "of the next attempt; 1 s, 2 s, 4 s, ... to 1 h unless given"),
            CAUSE);

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
                            Field.maybe("delay", FieldType.DURATION, "of fail, and of snooze, which needs it"),
                            CAUSE),
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

    static final Shape STEP = Shape.of(
            "StepRequest",
            TOKEN,
            NUMBER,
            Field.of("name", FieldType.TEXT, "of the step, 1 to 200 characters, once in a run"));

    static final Shape KNOWN_STEP = Shape.of(
            "KnownStep",
            SUSPENDED,
            Field.maybe("done", FieldType.BOOLEAN, "false: do it, and record that; absent: the claim is over"),
            Field.maybe("result", FieldType.JSON, "that an earlier run has recorded"),
            FAILED);

    static final Shape RECORD = Shape.of(
            "StepRecord",
            TOKEN,
            NUMBER,
            Field.of("name", FieldType.TEXT, "of the step"),
            Field.maybe("result", FieldType.JSON, "of a step that is done; null unless given"),
            Field.maybe(
                    "error",
                    FieldType.TEXT,
                    "of a step that has failed: it is recorded with what comes next, if the handler goes on"));

    static final Shape RECORDED = Shape.of("RecordedStep", SUSPENDED, FAILED);

    static final Shape SIGNAL_TOKEN = Shape.of(
            "SignalTokenRequest",
            TOKEN,
            NUMBER,
            Field.of("name", FieldType.TEXT, "of the signal"),
            Field.of("keep", FieldType.DURATION, "for how long it can be used"));

    static final Shape SECRET = Shape.of(
            "SignalToken",
            SUSPENDED,
            Field.maybe("secret", FieldType.TEXT, "40 characters, which are kept nowhere; absent: the claim is over"),
            FAILED);

    /** As messages and descriptions list them. */
    static final String CHANGES = "patched, renamed, retired";

    static final Shape CHANGE = Shape.of(
            "HandlerChange",
            TOKEN,
            NUMBER,
            Field.of(
                    "type",
                    FieldType.TEXT,
                    "one of " + CHANGES + ": the code has a change from that place on; records of the name old have"
                            + " this name now; records of this name are not asked for any more"),
            Field.of("name", FieldType.TEXT, "of the change, or of records, 1 to 200 characters"),
            Field.maybe("old", FieldType.TEXT, "of renamed, which needs it"));

    static final Shape CHANGED = Shape.of(
            "ChangedHandler",
            SUSPENDED,
            Field.maybe(
                    "patched",
                    FieldType.BOOLEAN,
                    "of patched: false: an earlier run has recorded something behind this place; absent: the claim is"
                            + " over"),
            FAILED);

    /** @param job of a child */
    static Shape children(Shape job) {
        return Shape.of(
                "ChildrenRequest",
                TOKEN,
                NUMBER,
                Field.of("name", FieldType.TEXT, "of these children, 1 to 200 characters, once in a run"),
                Field.many("jobs", job, "1 to 10,000 jobs: they are added once, whatever later runs say here"),
                Field.maybe(
                        "parent_end",
                        FieldType.TEXT,
                        "cancel unless given, leave or cancel_always: what becomes of them when this job ends"));
    }

    static final Shape CHILDREN = Shape.of(
            "Children",
            SUSPENDED,
            Field.maybe("children", FieldType.OBJECTS, CHILD, "in the order of the jobs; absent: the claim is over"),
            FAILED);

    /** As messages and descriptions list them. */
    static final String WAITS = "sleep, signal, event, child, children, job, any, continue";

    static final Shape SUSPEND = Shape.of(
            "SuspendRequest",
            TOKEN,
            NUMBER,
            Field.of("type", FieldType.TEXT, "one of " + WAITS),
            Field.maybe(
                    "name",
                    FieldType.TEXT,
                    "of the sleep, the signal, the wait for a job or for any; topic of the event"),
            Field.maybe("duration", FieldType.DURATION, "of a sleep"),
            Field.maybe("until", FieldType.TIME, "of a sleep, instead of duration"),
            Field.maybe("spread", FieldType.DURATION, "of a sleep with a duration: up to so much longer, at random"),
            Field.maybe("at_most", FieldType.DURATION, "of signal, event and job, which need it, and of any"),
            Field.maybe("or_fail", FieldType.BOOLEAN, "of signal: true: that none came in time is a failure"),
            Field.maybe("key", FieldType.TEXT, "of an event"),
            Field.maybe("containing", FieldType.JSON, "what the payload of an event contains"),
            Field.maybe("only_new", FieldType.BOOLEAN, "of event: true: none from before the wait"),
            Field.maybe("children", FieldType.OBJECTS, CHILD, "of child, one, and of children: as they were answered"),
            Field.maybe("job", FieldType.ID, "of job: any that is no child"),
            Field.maybe(
                    "any",
                    FieldType.OBJECTS,
                    Shape.of(
                            "AnyOf",
                            Field.maybe("signal", FieldType.TEXT, "the name of a signal"),
                            Field.maybe("event", FieldType.TEXT, "or the topic of an event"),
                            Field.maybe("key", FieldType.TEXT, "of the event"),
                            Field.maybe("containing", FieldType.JSON, "what its payload contains"),
                            Field.maybe("only_new", FieldType.BOOLEAN, "true: none from before the wait"),
                            Field.maybe("child", FieldType.OBJECT, CHILD, "or a child"),
                            Field.maybe("job", FieldType.ID, "or any job that is no child")),
                    "of any: 1 to 99; the first that has ended counts"),
            Field.maybe(
                    "payload", FieldType.JSON, "of continue: the job begins anew with it, and without its records"));

    private static final Shape SIGNAL = Shape.of(
            "ReadSignal",
            Field.of("payload", FieldType.JSON, "null: it has none"),
            Field.maybe("id", FieldType.TEXT, "that its sender gave; of an event a number"),
            Field.of("sender", FieldType.TEXT, "the setting howdah.actor of its session, or else its role"),
            Field.of("sent", FieldType.TIME, "when"));

    static final Shape RESUMED = Shape.of(
            "Resumed",
            SUSPENDED,
            Field.maybe("signal", FieldType.OBJECT, SIGNAL, "of signal, event and any; absent: none came in time"),
            Field.maybe("result", FieldType.JSON, "of child and job; of any, if that is a job"),
            Field.maybe(
                    "first",
                    FieldType.INTEGER,
                    "of any: the place of the first that has ended, from 0; their number: the time was over"),
            FAILED);

    private WorkerShapes() {}
}
