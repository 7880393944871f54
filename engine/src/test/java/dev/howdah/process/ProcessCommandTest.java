package dev.howdah.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.process.command.Command;
import dev.howdah.process.command.CommandProcessor;
import org.junit.jupiter.api.Test;

/** Typed commands of processes. */
@PostgresTest
class ProcessCommandTest {
    record Payment(String card, int amount) {}

    record Receipt(int paid) {}

    private static final Command<Payment, Receipt> PAY = Command.of("pay", Payment.class, Receipt.class);
    private static final Command<Void, String> PING = Command.of("ping", Void.class, String.class);
    private static final Command<Integer, Void> OPEN = Command.of("open", Integer.class, Void.class);

    private static final Namespace ORDERS = Namespace.of(
            "orders",
            CommandProcessor.or((task, process) ->
                            Intent.none().response("other: " + task.args().text()))
                    .on(OPEN, (number, task, process) -> Intent.none().event(number))
                    .on(PING, (nothing, task, process) -> Intent.none().response("pong"))
                    .on(
                            PAY,
                            (payment, task, process) ->
                                    Intent.none().event(payment).response(new Receipt(payment.amount()))));

    private final TestDatabase database;

    ProcessCommandTest(TestDatabase database) {
        this.database = database;
    }

    private Processes processes() {
        return Processes.on(Scripted.dataSource(database)).namespace(ORDERS).start();
    }

    @Test
    void commands_areHandledByType_andTheRestGoesOn() {
        try (Processes processes = processes()) {
            assertThat(OPEN.init(processes, "orders", "a", 7)).isNull();
            assertThat(PAY.call(processes, "orders", "a", new Payment("4111", 12)))
                    .isEqualTo(new Receipt(12));
            assertThat(PING.call(processes, "orders", "a", null)).isEqualTo("pong");
            assertThat(processes.call("orders", "a", "text").as(String.class)).isEqualTo("other: \"text\"");
            assertThat(processes.call("orders", "a", null).as(String.class)).isEqualTo("other: ");
            Request once = PAY.request("orders", "a", new Payment("4111", 13)).key("k");
            assertThat(PAY.answer(processes.call(once))).isEqualTo(new Receipt(13));
            assertThat(PAY.answer(processes.call(once))).isEqualTo(new Receipt(13));
            assertThat(processes.get("orders", "a").history()).hasSize(3);
        }
    }

    @Test
    void commandThatIsUnknownOrDoesNotFit_isRefusedAndTheProcessGoesOn() {
        Command<String, Void> fly = Command.of("fly", String.class, Void.class);
        Command<String, Void> wrong = Command.of("pay", String.class, Void.class);
        try (Processes processes = processes()) {
            OPEN.init(processes, "orders", "a", 7);
            assertThatThrownBy(() -> fly.call(processes, "orders", "a", "x"))
                    .isInstanceOf(ProcessException.class)
                    .hasMessage("unknown command fly, there are [open, pay, ping]");
            assertThatThrownBy(() -> wrong.call(processes, "orders", "a", "x"))
                    .isInstanceOf(ProcessException.class)
                    .hasMessageStartingWith("command pay: ");
            assertThatThrownBy(() -> PAY.call(processes, "orders", "a", null))
                    .hasMessage("command pay: the command pay needs arguments: a Payment");
            assertThat(processes.get("orders", "a").status()).isEqualTo(ProcessStatus.RUNNING);
            assertThat(PING.call(processes, "orders", "a", null)).isEqualTo("pong");
        }
    }

    @Test
    void commands_ofOneNameOrOfABadName_areRefused() {
        assertThatThrownBy(() -> CommandProcessor.or((task, process) -> Intent.none())
                        .on(PING, (nothing, task, process) -> Intent.none())
                        .on(PING, (nothing, task, process) -> Intent.none()))
                .hasMessage("the command ping has a handler already");
        assertThatThrownBy(() -> Command.of("", Void.class, Void.class))
                .hasMessage("the name of a command has 1 to 200 characters, not 0");
    }
}
