package dev.howdah.operations.change;

import dev.howdah.operations.ChangeOutcome;
import dev.howdah.operations.Operation;
import dev.howdah.operations.OperationCall;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.Role;
import dev.howdah.operations.Subject;
import dev.howdah.operations.Values;
import dev.howdah.operations.value.DecimalValue;
import dev.howdah.operations.value.IdValue;
import dev.howdah.operations.value.NameValue;
import dev.howdah.operations.value.TextValue;
import dev.howdah.sweep.SweepProgress;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/** The operations on sweeps. */
public final class SweepOperations {
    private static final Parameter<String> NAME = Parameter.of("name", new NameValue(1_000), "The name of the sweep.");

    /** The rows that begin per second. */
    public static final Parameter<Double> RATE = Parameter.of(
            "rows_per_second",
            DecimalValue.of("0", "1000000000"),
            "Rows that begin per second, all processes together, such as 200 or 0.5; 0: no limit.");

    private static final Parameter<String> HOURS = Parameter.of(
            "hours", new TextValue(200), "Times of the day such as \"22:00-06:00 Europe/Berlin\", or always.");

    private static final Parameter<Long> ROWS =
            Parameter.of("rows", new IdValue(), "The number of rows that will be tried again.");

    private static final Subject SWEEP = new Subject(
            "sweep",
            "sweeps",
            List.of(NAME),
            "/sweeps/{name}",
            "sweep",
            (engine, key) -> engine.sweeps().find(key.get(NAME)).orElse(null));

    public static final Operation PAUSE = Operation.of(
                    SWEEP, "pause", Role.OPERATOR, "Pause a sweep: no process begins another row until it is resumed.")
            .ask("Pause {target}? Rows that are in work are finished.")
            .say("{target} is paused.", "{target} was not changed: it does not run.")
            .does(call -> ChangeOutcome.of(call.engine().sweeps().pause(call.key(NAME)))
                    .undoneBy(SweepOperations.RESUME, Values.NONE));

    public static final Operation RESUME = Operation.of(SWEEP, "resume", Role.OPERATOR, "Resume a paused sweep.")
            .say("{target} goes on.", "{target} was not paused.")
            .does(call -> ChangeOutcome.of(call.engine().sweeps().resume(call.key(NAME)))
                    .undoneBy(PAUSE, Values.NONE));

    public static final Operation STOP = Operation.of(
                    SWEEP,
                    "stop",
                    Role.OPERATOR,
                    "Stop a sweep: its processes leave it when the rows in work are finished. A later start continues it.")
            .ask("Stop {target}? Its processes end; rows that are done stay marked, and it can be started again.")
            .say("{target} is stopped.", "{target} was not changed: it has ended.")
            .does(call -> ChangeOutcome.of(call.engine().sweeps().stop(call.key(NAME))));

    public static final Operation THROTTLE = Operation.of(
                    SWEEP,
                    "throttle",
                    Role.OPERATOR,
                    "Limit the rows per second of a sweep, all processes together. It applies at once.")
            .takes(RATE)
            .say("The limit of {target} is set.", "{target} has that limit already.")
            .does(call -> {
                Values before = before(call, SweepOperations::throttle);
                return ChangeOutcome.of(call.engine().sweeps().throttle(call.key(NAME), call.get(RATE)))
                        .undoneBy(SweepOperations.THROTTLE, before);
            });

    public static final Operation BETWEEN = Operation.of(
                    SWEEP,
                    "between",
                    Role.OPERATOR,
                    "Limit a sweep to times of the day: outside of them it begins no row. It applies at once.")
            .id("limitHoursOfSweep")
            .takes(HOURS)
            .say("The hours of {target} are set.", "{target} has those hours already.")
            .does(call -> {
                Values before = before(call, SweepOperations::hours);
                return ChangeOutcome.of(call.engine().sweeps().between(call.key(NAME), call.get(HOURS)))
                        .undoneBy(SweepOperations.BETWEEN, before);
            });

    public static final Operation RETRY_FAILED = Operation.of(
                    SWEEP,
                    "retry-failed",
                    Role.OPERATOR,
                    "Retry the failed rows of a sweep, with all their attempts: at once if it runs, else at its next start.")
            .id("retryFailedRows")
            .returns(ROWS)
            .ask("Try the failed rows of {target} again, from their first attempt on?")
            .does(call -> {
                long rows = call.engine().sweeps().retryFailed(call.key(NAME));
                return ChangeOutcome.of(rows > 0)
                        .said(rows + (rows == 1 ? " row" : " rows") + " of {target} will be tried again.")
                        .with(ROWS, rows);
            });

    public static final Operation REMOVE = Operation.of(
                    SWEEP,
                    "remove",
                    Role.ADMINISTRATOR,
                    "Remove the record of a sweep that has ended, with its errors and its history.")
            .ask("Remove {target} with its progress and its errors? The rows of its table stay as they are.")
            .say("{target} is removed.", "")
            .removes()
            .does(call -> call.engine().sweeps().remove(call.key(NAME))
                    ? ChangeOutcome.done()
                    : ChangeOutcome.refused("{target} was not removed: it has not ended, stop it first."));

    /** All of them. */
    public static final List<Operation> ALL = List.of(PAUSE, RESUME, STOP, THROTTLE, BETWEEN, RETRY_FAILED, REMOVE);

    private SweepOperations() {}

    /** The key of a sweep. */
    public static Values key(String name) {
        return Values.NONE.with(NAME, name);
    }

    /** The parameters that throttle a sweep as it is. */
    public static Values throttle(SweepProgress sweep) {
        return Values.NONE.with(RATE, sweep.throttle());
    }

    /** The parameters that set the hours of a sweep as they are. */
    public static Values hours(SweepProgress sweep) {
        return Values.NONE.with(HOURS, Objects.requireNonNullElse(sweep.hours(), "always"));
    }

    private static Values before(OperationCall call, Function<SweepProgress, Values> parameters) {
        return call.engine().sweeps().find(call.key(NAME)).map(parameters).orElse(Values.NONE);
    }
}
