package dev.howdah.examples.order;

import dev.howdah.process.Action;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.ProcessState;
import dev.howdah.process.ProcessTask;
import java.time.Duration;

/**
 * The same order as a process: a state, and what comes next in each state. It can be asked where it stands, and called, at any time; its history has an
 * event for each line.
 */
public final class OrderProcess {
    private static final int PARCELS = 10;

    /** Where an order stands. */
    public enum Stage {
        COOLING,
        ASKED,
        PACKING,
        ENDED
    }

    /** @param packed how many parcels are packed */
    public record State(Stage stage, int packed) {}

    /** Processes of this namespace have the number of the order as their id. */
    public static final Namespace ORDERS = Namespace.of("order", OrderProcess::next);

    private OrderProcess() {}

    private static Intent next(ProcessTask task, ProcessState order) {
        return switch (task.type()) {
            case INIT -> to(Stage.COOLING, 0, "charge").then(Action.timeout(Duration.ofDays(3)));
            case CALL -> approve(order.auxState().as(State.class));
            case TIMEOUT -> goOn(order.auxState().as(State.class));
            default -> Intent.none();
        };
    }

    private static Intent to(Stage stage, int packed, String event) {
        return Intent.none().event(event).auxState(new State(stage, packed));
    }

    /** A caller that comes too early or too late is told so, which the handler of a job cannot do. */
    private static Intent approve(State state) {
        if (state.stage() != Stage.ASKED) return Intent.none().refuse("the order is " + state.stage());
        return to(Stage.PACKING, 0, "approved").response("approved").then(Action.timeout());
    }

    private static Intent goOn(State state) {
        return switch (state.stage()) {
            case COOLING -> to(Stage.ASKED, 0, "cool").then(Action.timeout(Duration.ofDays(7)));
            case ASKED -> to(Stage.ENDED, 0, "refund");
            case PACKING -> pack(state.packed() + 1);
            case ENDED -> Intent.none();
        };
    }

    private static Intent pack(int number) {
        return number > PARCELS
                ? to(Stage.ENDED, PARCELS, "report 5500 g")
                : to(Stage.PACKING, number, "parcel " + number).then(Action.timeout());
    }
}
