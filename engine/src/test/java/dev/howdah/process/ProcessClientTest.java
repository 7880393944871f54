package dev.howdah.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.process.client.ProcessClient;
import dev.howdah.process.query.TaskStatus;
import dev.howdah.process.query.TraceEntry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests of a program that is not a node. */
@PostgresTest
class ProcessClientTest {
    private final TestDatabase database;
    private final CountDownLatch slow = new CountDownLatch(1);
    private ProcessClient client;
    private Processes node;

    ProcessClientTest(TestDatabase database) {
        this.database = database;
    }

    private Intent step(ProcessTask task, ProcessState process) throws Exception {
        String args = task.args().text();
        if (args.equals("\"slow\"")) slow.await();
        if (args.equals("\"fail\"")) throw new StepFailedException("out of stock");
        return Intent.none().event(args).response(task.type().text() + " " + (process.lastEventId() + 1));
    }

    @BeforeEach
    void start() {
        node = Processes.on(Scripted.dataSource(database))
                .namespace(Namespace.of("order", this::step))
                .start();
        client = ProcessClient.on(Scripted.dataSource(database));
    }

    @AfterEach
    void stop() {
        slow.countDown();
        node.close();
    }

    private static Request order(String id, Object args) {
        return Request.of("order", id).args(args).timeout(Scripted.PATIENCE);
    }

    private static ProcessException.Reason reason(ThrowingCallable call) {
        ProcessException[] thrown = new ProcessException[1];
        assertThatThrownBy(call).isInstanceOfSatisfying(ProcessException.class, e -> thrown[0] = e);
        return thrown[0].reason();
    }

    @Test
    void requests_ofEachType_areAnsweredByTheNode() {
        assertThat(client.init(order("a", "chairs")).as(String.class)).isEqualTo("init 1");
        assertThat(client.call(order("a", "pay")).as(String.class)).isEqualTo("call 2");
        client.notify(order("a", "sent"));
        assertThat(client.call(order("a", "close")).as(String.class)).isEqualTo("call 4");
        assertThat(reason(() -> client.call(order("a", "fail")))).isEqualTo(ProcessException.Reason.STEP_FAILED);
        assertThat(reason(() -> client.call(order("a", "more")))).isEqualTo(ProcessException.Reason.PROCESS_ERROR);
        assertThat(client.repair(order("a", "repaired")).as(String.class)).isEqualTo("repair 5");
        assertThat(reason(() -> client.simpleRepair(Request.of("order", "a"))))
                .isEqualTo(ProcessException.Reason.PROCESS_RUNNING);
        assertThat(reason(() -> client.call(order("a", "fail")))).isEqualTo(ProcessException.Reason.STEP_FAILED);
        client.simpleRepair(Request.of("order", "a"));
        assertThat(node.get("order", "a").status()).isEqualTo(ProcessStatus.RUNNING);
        client.remove(Request.of("order", "a"));
        assertThat(reason(() -> node.get("order", "a"))).isEqualTo(ProcessException.Reason.PROCESS_NOT_FOUND);
        assertThat(database.value("SELECT count(*) FROM howdah_internal.node")).isEqualTo("1");
    }

    @Test
    void requests_thatCannotBe_sayWhy() {
        client.init(order("a", "chairs"));
        assertThat(reason(() -> client.init(order("a", "chairs")))).isEqualTo(ProcessException.Reason.PROCESS_EXISTS);
        assertThat(reason(() -> client.call(order("b", 1)))).isEqualTo(ProcessException.Reason.PROCESS_NOT_FOUND);
        assertThat(reason(() -> client.call(Request.of("none", "b"))))
                .isEqualTo(ProcessException.Reason.NAMESPACE_NOT_FOUND);
        assertThat(reason(() -> client.repair(order("a", 1)))).isEqualTo(ProcessException.Reason.PROCESS_RUNNING);
    }

    @Test
    void ids_withControlCharacters_areRefusedOfNewProcessesOnly() {
        assertThatThrownBy(() -> client.init(order("a\n", "chairs")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("the id of a process has the character U+000A at position 2: ");
        assertThatThrownBy(() -> order("a", "pay").key("\u202ek"))
                .hasMessageStartingWith("the key has the character U+202E at position 1: ");
        assertThatThrownBy(() -> ProcessImport.of("order", "\u001b", List.of()))
                .hasMessageStartingWith("the id of a process has the character U+001B at position 1: ");
        client.init(order("a", "chairs"));
        database.execute("UPDATE howdah_internal.process SET id = E'a\\n'");
        assertThat(client.call(order("a\n", "pay")).as(String.class)).isEqualTo("call 2");
        client.remove(order("a\n", "gone"));
    }

    @Test
    void request_notAnsweredInTime_goesOn() {
        client.init(order("a", "chairs"));
        assertThat(reason(() -> client.call(order("a", "slow").timeout(Duration.ofMillis(50)))))
                .isEqualTo(ProcessException.Reason.TIMEOUT);
        slow.countDown();
        Scripted.awaiting("it has gone on").until(() -> node.get("order", "a").lastEventId() == 2);
    }

    @Test
    void trace_ofTheNewestTasks_leavesOutTheOthers() {
        client.init(order("a", "chairs"));
        for (int i = 2; i <= 5; i++) client.call(order("a", i));
        List<TraceEntry> newest = node.trace("order", "a").subList(3, 5);
        List<TraceEntry> found = ProcessReader.on(Scripted.dataSource(database)).trace("order", "a", 2);
        assertThat(found)
                .extracting(TraceEntry::task)
                .containsExactly(newest.get(0).task(), newest.get(1).task());
        assertThat(found).extracting(TraceEntry::status).containsOnly(TaskStatus.FINISHED);
        assertThat(found).extracting(each -> each.args().text()).containsExactly("4", "5");
        assertThat(ProcessReader.on(Scripted.dataSource(database)).trace("order", "a", 10))
                .hasSize(5);
    }
}
