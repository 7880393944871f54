package dev.howdah.examples.payment;

import dev.howdah.process.Action;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.ProcessState;
import dev.howdah.process.ProcessTask;
import dev.howdah.process.Processor;
import dev.howdah.spi.Backoff;
import java.time.Duration;

/** What a payment does: the bank holds the money; who confirms in time pays, who does not gets it back. */
public final class Payment implements Processor {
    /** What is to be paid, and for how long the money is held. */
    public record Order(String card, long cents, long holdSeconds) {}

    /** Where a payment stands. */
    public enum State {
        HELD,
        CONFIRMED,
        CAPTURED,
        RELEASED
    }

    private final Bank bank;

    private Payment(Bank bank) {
        this.bank = bank;
    }

    /** Payments at that bank, which is asked again after that time, twice that, and so on, when it does not answer: five times in all. */
    public static Namespace at(Bank bank, Duration again) {
        return Namespace.builder("payment", new Payment(bank))
                .retries(Backoff.of(again, 2, Duration.ofHours(1), 5))
                // The bank knows by its key what it has done, so a step may run again when its node has crashed.
                .repeatable(true)
                .build();
    }

    @Override
    public Intent process(ProcessTask task, ProcessState payment) throws Exception {
        return switch (task.type()) {
            case INIT -> hold(payment, task.args().as(Order.class));
            case CALL -> confirm(state(payment));
            case TIMEOUT -> state(payment) == State.CONFIRMED ? capture(payment) : release(payment);
            // The operator says that the bank is back: the last request is sent again.
            case REPAIR ->
                payment.lastEventId() == 0
                        ? hold(payment, task.args().as(Order.class))
                        : Intent.none().event("repaired");
            default -> Intent.none();
        };
    }

    private static State state(ProcessState payment) {
        return payment.auxState().as(State.class);
    }

    private Intent hold(ProcessState payment, Order order) throws Exception {
        bank.hold(payment.id(), order.card(), order.cents());
        return Intent.none()
                .event("held")
                .auxState(State.HELD)
                .then(Action.timeout(Duration.ofSeconds(order.holdSeconds())));
    }

    /** The caller need not wait for the bank: the next step asks it, at once. */
    private static Intent confirm(State state) {
        if (state != State.HELD) return Intent.none().refuse("payment is " + state);
        return Intent.none()
                .event("confirmed")
                .response("confirmed")
                .auxState(State.CONFIRMED)
                .then(Action.timeout());
    }

    private Intent capture(ProcessState payment) throws Exception {
        bank.capture(payment.id());
        return Intent.none().event("captured").auxState(State.CAPTURED);
    }

    private Intent release(ProcessState payment) throws Exception {
        bank.release(payment.id());
        return Intent.none().event("released").auxState(State.RELEASED);
    }
}
