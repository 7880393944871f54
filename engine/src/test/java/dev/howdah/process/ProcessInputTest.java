package dev.howdah.process;

import static dev.howdah.process.Scripted.NAMESPACE;
import static dev.howdah.process.Scripted.reason;
import static dev.howdah.process.Scripted.script;
import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What processors may get wrong; each is a clear error of its process, and others go on. */
@Tag("long")
@PostgresTest
class ProcessInputTest {
    private static final Processor NOTHING = (task, process) -> Intent.none();

    private final TestDatabase database;

    ProcessInputTest(TestDatabase database) {
        this.database = database;
    }

    @Test // times that the database does not know, ids at the end of their range, Java that cannot go on
    void processor_thatMakesNoSense_breaksItsProcessOnly() {
        try (Scripted node = Scripted.in(database, namespace -> namespace.concurrency(1))) {
            List<Processor> bad = List.of(
                    (task, process) -> Intent.of(Action.timeout(Instant.MAX)),
                    (task, process) -> Intent.none().event(NewEvent.of("a").at(Instant.MIN)),
                    (task, process) -> Intent.none().event(Long.MAX_VALUE, "a").event("the next one"),
                    (task, process) -> Intent.none().event(-1, "a"),
                    (task, process) -> Intent.none().response(new Object()),
                    (task, process) -> Intent.none().event(task.args().as(Duration.class)),
                    (task, process) -> {
                        throw new StackOverflowError("too deep");
                    },
                    (task, process) -> {
                        throw new Exception((String) null);
                    });
            for (int i = 0; i < bad.size(); i++) {
                String id = script(NOTHING, bad.get(i), NOTHING);
                node.init(id);
                String why = reason(() -> node.call(id));
                assertThat(why)
                        .as("number %d", i)
                        .isNotEmpty()
                        .isNotEqualTo("timeout")
                        .doesNotContain("\n\tat ");
                assertThat(node.get(id).status()).isEqualTo(ProcessStatus.ERROR);
                assertThat(node.get(id).detail()).isEqualTo(why);
                if (i == 5) assertThat(why).endsWith("its payload is empty, and no Duration");
                assertThat(node.history(id)).isEmpty();
                node.processes().repair(NAMESPACE, id, null);
                assertThat(node.get(id).status()).isEqualTo(ProcessStatus.RUNNING);
            }
        }
    }

    @Test // hangs, does not let itself be interrupted, and answers when nobody asks any more
    void processor_thatAnswersTooLate_hasAnsweredOnce() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        Processor stubborn = (task, process) -> {
            boolean done = false;
            while (!done) {
                try {
                    go.await();
                    done = true;
                } catch (InterruptedException e) {
                    // On purpose.
                }
            }
            answered.countDown();
            return Intent.none().event("too late").response("too late");
        };
        String hung = script(NOTHING, stubborn, (task, process) -> Intent.none().event("repaired"));
        String other = script(NOTHING, (task, process) -> Intent.none().response("fine"));
        try (Scripted node = Scripted.in(
                database,
                namespace -> namespace.stepTimeout(Duration.ofMillis(300)).concurrency(1))) {
            node.init(hung);
            assertThat(reason(() -> node.call(hung))).isEqualTo("timeout");
            // Its place is free although its thread is not.
            assertThat(reason(() -> node.init(other))).isEmpty();
            node.processes().repair(NAMESPACE, hung, null);
            go.countDown();
            assertThat(answered.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(node.call(other).as(String.class)).isEqualTo("fine");
            assertThat(node.get(hung).history())
                    .extracting(each -> each.payload().as(String.class))
                    .containsExactly("repaired");
            assertThat(node.get(hung).status()).isEqualTo(ProcessStatus.RUNNING);
        }
    }
}
