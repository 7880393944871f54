package dev.howdah.process;

import static dev.howdah.process.Scripted.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TcpProxy;
import dev.howdah.fixtures.TestDatabase;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A network that swallows what is sent, while connections stay at both ends. */
@Tag("long")
@PostgresTest
class ProcessSilentNetworkTest {
    private static final Duration PATIENCE = Patience.LIMIT;

    private final TestDatabase database;
    private final Queue<String> begun = new ConcurrentLinkedQueue<>();
    private final CountDownLatch heldMayEnd = new CountDownLatch(1);

    ProcessSilentNetworkTest(TestDatabase database) {
        this.database = database;
    }

    private DataSource through(TcpProxy network) {
        return Scripted.source(
                database.uri().replace(":" + database.server().port() + "/", ":" + network.port() + "/"));
    }

    private Processes node(DataSource source, String name) {
        return Processes.on(source)
                .nodeName(name)
                .namespace(Namespace.builder("calls", (task, process) -> {
                            if (task.type() != TaskType.CALL) return Intent.none();
                            String args = task.args().as(String.class);
                            begun.add(name + " " + args);
                            if (args.equals("held") && name.equals("cut off")) heldMayEnd.await();
                            return Intent.none().event(name + " " + args).response(args);
                        })
                        .repeatable(true)
                        .stepTimeout(Duration.ofMinutes(10))
                        .build())
                .start();
    }

    private static String call(Processes processes, String id, String args) {
        return processes
                .call(Request.of("calls", id).args(args).timeout(PATIENCE))
                .as(String.class);
    }

    private static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .until(condition);
    }

    /** The half-open connections' server is alive, so only the silence tells that the node is lost. */
    @Test
    void node_isCutOffWithoutAWord_itsProcessesGoOnElsewhereAndItComesBack() throws Exception {
        try (TcpProxy network = TcpProxy.to("127.0.0.1", database.server().port());
                Processes cutOff = node(through(network), "cut off")) {
            String first = database.value("SELECT id FROM howdah_internal.node WHERE name = 'cut off'");
            cutOff.init("calls", "p", "");
            cutOff.init("calls", "q", "");
            CompletableFuture<String> held =
                    CompletableFuture.supplyAsync(() -> call(cutOff, "p", "held"), task -> new Thread(task).start());
            await("the step runs", () -> begun.contains("cut off held"));
            try (Processes other = node(Scripted.dataSource(database), "other")) {
                network.freeze();
                await("the step runs elsewhere", () -> begun.contains("other held"));
                assertThat(call(other, "p", "after")).isEqualTo("after");
                assertThat(call(other, "q", "beside")).isEqualTo("beside");
                heldMayEnd.countDown();
                network.thaw();
                // Until it has noticed that it was taken for dead, its sessions of before answer, and may end in the
                // middle of a call.
                await(
                        "the node is another one",
                        () -> "t"
                                .equals(database.value("SELECT EXISTS (SELECT FROM howdah_internal.node"
                                        + " WHERE name = 'cut off' AND id > " + first + ")")));
                await(
                        "the node is back",
                        () -> reason(() -> call(cutOff, "q", "ping")).isEmpty());
                assertThat(call(cutOff, "p", "back")).isEqualTo("back");
                assertThat(held.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("held");
                // The step of the node that was cut off came too late: each call has left one event.
                assertThat(other.get("calls", "p").history())
                        .extracting(each -> each.payload().as(String.class))
                        .hasSize(3)
                        .startsWith("other held", "other after")
                        .last()
                        .asString()
                        .endsWith(" back");
            }
        } finally {
            heldMayEnd.countDown();
        }
    }
}
