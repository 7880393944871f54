package dev.howdah.operations.change;

import static dev.howdah.operations.change.QueueOperations.QUEUE;

import dev.howdah.job.log.LogQueue;
import dev.howdah.job.log.LogQueues;
import dev.howdah.operations.ChangeOutcome;
import dev.howdah.operations.Operation;
import dev.howdah.operations.OperationCall;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.Role;
import dev.howdah.operations.Subject;
import dev.howdah.operations.Values;
import dev.howdah.operations.value.NameValue;
import dev.howdah.operations.value.PeriodValue;
import dev.howdah.operations.value.SizeValue;
import dev.howdah.operations.value.TimeValue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The operations on log queues and their readers. */
public final class LogQueueOperations {
    private static final Parameter<Duration> KEEP = Parameter.maybe(
            "keep",
            new PeriodValue(Duration.ZERO, Duration.ofDays(36_500), "0 to 36500 days"),
            "How long entries stay that all readers have read; as it is unless given, 0 for a new log queue.");

    private static final Parameter<Long> MOST = Parameter.of(
            "most", new SizeValue(1 << 20), "The most that a reader may have to read, such as 10 GB; none: no bound.");

    private static final Parameter<String> READER = Parameter.of("reader", NameValue.USUAL, "The reader.");

    private static final Parameter<String> ANY_READER =
            Parameter.maybe("reader", NameValue.USUAL, "The reader; the first one, which has no name, unless given.");

    private static final Parameter<Instant> ADDED_SINCE = Parameter.maybe(
            "since", new TimeValue(false), "The reader gets what was added since then; from now on unless given.");

    private static final Parameter<Instant> SINCE = Parameter.of(
            "since",
            new TimeValue(false),
            "The time: the reader goes on with the first entry that was added since then.");

    private static final Parameter<String> JOBS_IN =
            Parameter.of("jobs_in", NameValue.USUAL, "The queue from which nodes take the jobs of the reader.");

    private static final Subject LOG_QUEUE = new Subject(
            "log queue",
            "log-queues",
            List.of(QUEUE),
            "/jobs/queues/{queue}",
            "job log-queue",
            (engine, key) -> engine.jobs().logQueues().find(key.get(QUEUE)).orElse(null));

    public static final Operation CREATE = Operation.of(
                    LOG_QUEUE,
                    "create",
                    Role.ADMINISTRATOR,
                    "Create a log queue, or change for how long one keeps entries that all readers have read. A log queue cannot"
                            + " become another queue again.")
            .asksForKey()
            .takes(KEEP)
            .ask(call -> find(call).isPresent()
                    ? ""
                    : "Make queue " + call.key(QUEUE) + " a log queue? It cannot become another queue again.")
            .say("{target} is set.", "{target} was set so before.")
            .does(call -> {
                Optional<LogQueue> before = find(call);
                Duration given = call.find(KEEP);
                Duration keep =
                        given != null ? given : before.map(LogQueue::keep).orElse(Duration.ZERO);
                logs(call).create(call.key(QUEUE), keep);
                if (before.isEmpty()) return ChangeOutcome.done().said("{target} is created.");
                return ChangeOutcome.of(!before.get().keep().equals(keep));
            });

    public static final Operation LIMIT_UNREAD = Operation.of(
                    LOG_QUEUE,
                    "limit-unread",
                    Role.OPERATOR,
                    "Limit how much a reader of a log queue may have to read: jobs that are added beyond that are refused.")
            .id("limitUnread")
            .command("job log-queue limit")
            .takes(MOST)
            .say("The bound of {target} is set.", "{target} has that bound already.")
            .does(call -> existing(call, before -> {
                long most = call.get(MOST);
                if (most == 0) logs(call).unlimitUnread(call.key(QUEUE));
                else logs(call).limitUnread(call.key(QUEUE), most);
                long earlier = bound(before);
                return ChangeOutcome.of(earlier != most)
                        .undoneBy(LogQueueOperations.LIMIT_UNREAD, Values.NONE.with(MOST, earlier));
            }));

    public static final Operation ADD_READER = Operation.of(
                    LOG_QUEUE,
                    "add-reader",
                    Role.OPERATOR,
                    "Add a reader to a log queue: it gets each entry as a job of a queue of its own.")
            .id("addLogReader")
            .takes(READER, ADDED_SINCE)
            .returns(JOBS_IN)
            .target(LogQueueOperations::reader)
            .does(call -> existing(call, before -> {
                String reader = call.get(READER);
                Instant since = call.find(ADDED_SINCE);
                String queue = since == null
                        ? logs(call).addReader(call.key(QUEUE), reader)
                        : logs(call).addReader(call.key(QUEUE), reader, since);
                boolean isThere = before.readers().contains(reader);
                return ChangeOutcome.of(!isThere)
                        .said("{target} " + (isThere ? "is there already" : "is added") + "; its jobs are in queue "
                                + queue + ".")
                        .with(JOBS_IN, queue)
                        .undoneBy(LogQueueOperations.DROP_READER, Values.NONE.with(READER, reader));
            }));

    public static final Operation SEEK = Operation.of(
                    LOG_QUEUE,
                    "seek",
                    Role.OPERATOR,
                    "Move a reader of a log queue to what was added since a time: jobs before that are skipped, jobs after that"
                            + " run again.")
            .id("seekLogReader")
            .takes(SINCE, ANY_READER)
            .target(LogQueueOperations::reader)
            .ask(
                    "Move {target}? Jobs that were added before that time are skipped, those that were added since then run again.")
            .say("{target} is moved.", "")
            .does(call -> existing(call, before -> {
                String reader = call.find(ANY_READER);
                if (reader == null) logs(call).seek(call.key(QUEUE), call.get(SINCE));
                else if (!before.readers().contains(reader)) return noReader();
                else logs(call).seek(call.key(QUEUE), reader, call.get(SINCE));
                return ChangeOutcome.done();
            }));

    public static final Operation DROP_READER = Operation.of(
                    LOG_QUEUE,
                    "drop-reader",
                    Role.ADMINISTRATOR,
                    "Drop a reader of a log queue, but not the first one. Jobs of it that wait for a retry stay in its queue.")
            .id("dropLogReader")
            .takes(READER)
            .target(LogQueueOperations::reader)
            .ask(
                    "Drop {target}? Entries that it has not read are no jobs of it any more; jobs that wait for a retry stay.")
            .say("{target} is dropped.", "")
            .does(call -> existing(call, before -> {
                if (!before.readers().contains(call.get(READER))) return noReader();
                logs(call).dropReader(call.key(QUEUE), call.get(READER));
                return ChangeOutcome.done();
            }));

    /** All of them. */
    public static final List<Operation> ALL = List.of(CREATE, LIMIT_UNREAD, ADD_READER, SEEK, DROP_READER);

    private LogQueueOperations() {}

    /** The parameters that drop a reader. */
    public static Values reader(String name) {
        return Values.NONE.with(READER, name);
    }

    /** The parameters that create a log queue as it is. */
    public static Values settings(LogQueue queue) {
        return Values.NONE.with(KEEP, queue.keep());
    }

    /** The parameters that limit a log queue as it is. */
    public static Values limit(LogQueue queue) {
        return Values.NONE.with(MOST, bound(queue));
    }

    /** What may be unread, for people, such as {@code 10 GB}. */
    public static String size(long bytes) {
        return MOST.type().print(bytes);
    }

    private static long bound(LogQueue queue) {
        Long most = queue.mostUnread();
        return most == null ? 0 : most;
    }

    private static LogQueues logs(OperationCall call) {
        return call.engine().jobs().logQueues();
    }

    private static Optional<LogQueue> find(OperationCall call) {
        return logs(call).find(call.key(QUEUE));
    }

    private static ChangeOutcome existing(OperationCall call, Function<LogQueue, ChangeOutcome> work) {
        return find(call)
                .map(work)
                .orElseGet(() -> ChangeOutcome.missing("There is no log queue " + call.key(QUEUE) + "."));
    }

    private static ChangeOutcome noReader() {
        return ChangeOutcome.missing("There is no {target}.");
    }

    private static String reader(Values key, Values values) {
        String name = values.find(ANY_READER);
        if (name == null) name = values.find(READER);
        return (name == null ? "the first reader" : "reader " + name) + " of " + LOG_QUEUE.words(key);
    }
}
