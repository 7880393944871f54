package dev.howdah.operations.change;

import dev.howdah.job.wait.Emission;
import dev.howdah.operations.ChangeOutcome;
import dev.howdah.operations.Operation;
import dev.howdah.operations.OperationCall;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.Role;
import dev.howdah.operations.Subject;
import dev.howdah.operations.value.IdValue;
import dev.howdah.operations.value.JsonValue;
import dev.howdah.operations.value.TextValue;
import java.util.List;

/** The operation that says what has happened, to the jobs that wait for it. */
public final class EventOperations {
    private static final Parameter<String> TOPIC =
            Parameter.of("topic", new TextValue(200), "The topic that handlers wait for.");

    private static final Parameter<String> KEY =
            Parameter.maybe("key", new TextValue(200), "What the event is about; absent: nothing in particular.");

    private static final Parameter<String> PAYLOAD =
            Parameter.maybe("payload", new JsonValue(65_536), "What the event says; absent: null.");

    private static final Parameter<Long> NUMBER = Parameter.of("number", new IdValue(), "The number of the event.");

    private static final Subject EVENT = new Subject(
                    "event", "events", List.of(TOPIC), "/events/{topic}", "job", (engine, key) -> null)
            .listedOn("/jobs");

    public static final Operation EMIT = Operation.of(
                    EVENT, "emit", Role.OPERATOR, "Emit an event: all jobs that wait for its topic and key go on.")
            .command("job emit")
            .takes(KEY, PAYLOAD)
            .returns(NUMBER)
            .adds()
            .say("{target} is emitted.", "")
            .does(EventOperations::emit);

    /** All of them. */
    public static final List<Operation> ALL = List.of(EMIT);

    private EventOperations() {}

    private static ChangeOutcome emit(OperationCall call) {
        String key = call.values().find(KEY);
        String payload = call.values().find(PAYLOAD);
        Emission event = Emission.of(call.key(TOPIC), null).key(key == null ? "" : key);
        long number = call.engine().jobs().emit(call.transaction(), event, payload == null ? "null" : payload);
        return ChangeOutcome.done().with(NUMBER, number);
    }
}
