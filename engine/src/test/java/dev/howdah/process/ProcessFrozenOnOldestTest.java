package dev.howdah.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** PostgreSQL 13 does not end idle sessions: nodes end the session of a frozen one. */
@Tag("long")
class ProcessFrozenOnOldestTest {
    @Test
    void node_frozenOnPostgreSQL13_itsCallRunsElsewhere() throws Exception {
        try (TestDatabase database =
                        TestDatabase.create(TestServer.of(TestServer.majors().get(0)));
                ProcessProgram frozen = ProcessProgram.at(database.uri(), true);
                Processes client = Processes.on(Scripted.dataSource(database))
                        .nodeName("client")
                        .start()) {
            client.init(ProcessProgram.NAMESPACE, "call", "");
            Request request =
                    Request.of(ProcessProgram.NAMESPACE, "call").args("hang").timeout(Duration.ofMinutes(2));
            CompletableFuture<String> call =
                    CompletableFuture.supplyAsync(() -> client.call(request).as(String.class));
            frozen.awaitSaid("began call");
            frozen.freeze();
            try (Processes survivor = Processes.on(Scripted.dataSource(database))
                    .namespace(ProcessProgram.namespace(false, true))
                    .start()) {
                assertThat(call.get(90, TimeUnit.SECONDS)).isEqualTo("done");
                assertThat(survivor.get(ProcessProgram.NAMESPACE, "call").lastEventId())
                        .isEqualTo(1);
            }
            frozen.thaw();
        }
    }
}
