package dev.howdah.operations.change;

import dev.howdah.operations.ChangeOutcome;
import dev.howdah.operations.Engine;
import dev.howdah.operations.Operation;
import dev.howdah.operations.OperationCall;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.Role;
import dev.howdah.operations.Subject;
import dev.howdah.operations.Values;
import dev.howdah.operations.value.NameValue;
import dev.howdah.process.HistoryRange;
import dev.howdah.process.Notices;
import dev.howdah.process.ProcessException;
import dev.howdah.process.ProcessStatus;
import java.util.List;

/** The operations on the notices of processes. */
public final class ProcessOperations {
    private static final Parameter<String> NAMESPACE =
            Parameter.of("namespace", NameValue.USUAL, "The namespace of the process.");

    private static final Parameter<String> ID = Parameter.of("id", new NameValue(256), "The id of the process.");

    private static final Subject PROCESS = new Subject(
            "process",
            "processes",
            List.of(NAMESPACE, ID),
            "/processes/{namespace}/{id}",
            "process",
            ProcessOperations::image);

    public static final Operation NOTICE_AGAIN = Operation.of(
                    PROCESS,
                    "notice-again",
                    Role.OPERATOR,
                    "Publish the blocked notice of a process again, and those behind it.")
            .id("publishNoticeAgain")
            .target((key, values) -> "process " + key.get(ID))
            .ask("Publish the blocked notice of {target} again, and those behind it?")
            .say("The blocked notice of {target} is published again.", "")
            .does(call -> decide(call, Notices::tellAgain));

    public static final Operation NOTICE_SKIP = Operation.of(
                    PROCESS,
                    "notice-skip",
                    Role.OPERATOR,
                    "Skip the blocked notice of a process: its receiver never gets it. Those behind it are published.")
            .id("skipNotice")
            .target((key, values) -> "process " + key.get(ID))
            .ask("Skip the blocked notice of {target}? Its receiver never gets it; those behind it are published.")
            .say("The blocked notice of {target} is skipped.", "")
            .losesData()
            .does(call -> decide(call, Notices::skip));

    /** All of them. */
    public static final List<Operation> ALL = List.of(NOTICE_AGAIN, NOTICE_SKIP);

    private ProcessOperations() {}

    /** The key of a process. */
    public static Values key(String namespace, String id) {
        return Values.NONE.with(NAMESPACE, namespace).with(ID, id);
    }

    /** What is decided about the blocked notice of a process. */
    private interface Decision {
        void of(Notices notices, String namespace, String process);
    }

    private static ChangeOutcome decide(OperationCall call, Decision decision) {
        String namespace = call.key(NAMESPACE);
        try {
            decision.of(call.engine().notices(), namespace, call.key(ID));
            return ChangeOutcome.done();
        } catch (ProcessException e) {
            return switch (e.reason()) {
                case NAMESPACE_NOT_FOUND -> ChangeOutcome.missing("there is no namespace \"" + namespace + "\"");
                case NOTICE_NOT_BLOCKED ->
                    isThere(call)
                            ? ChangeOutcome.refused("No notice of {target} is blocked.")
                            : ChangeOutcome.missing("there is no {target}");
                default -> throw e;
            };
        }
    }

    private static boolean isThere(OperationCall call) {
        try {
            image(call.engine(), call.key());
            return true;
        } catch (ProcessException e) {
            if (e.reason() == ProcessException.Reason.PROCESS_NOT_FOUND) return false;
            throw e;
        }
    }

    /** A process as it is, without its history. */
    public record ProcessImage(String namespace, String id, ProcessStatus status) {}

    private static Record image(Engine engine, Values key) {
        String namespace = key.get(NAMESPACE);
        String id = key.get(ID);
        return new ProcessImage(
                namespace,
                id,
                engine.processes().get(namespace, id, HistoryRange.last(1)).status());
    }
}
