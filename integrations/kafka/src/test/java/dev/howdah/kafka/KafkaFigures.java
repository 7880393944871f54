package dev.howdah.kafka;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** How fast notices come to Kafka: of many processes, and of a single one. A program; see benchmarks/README.md. */
final class KafkaFigures {
    private static final String WRITE =
            "INSERT INTO howdah_internal.process_outbox (namespace, process, at, kind, event, payload)"
                    + " SELECT n.id, 'p' || i %% %d, now(), 'event', i, convert_to(repeat('x', 100), 'UTF8')"
                    + " FROM howdah_internal.process_namespace n, generate_series(1, %d) i WHERE n.name = 'figures'";

    private KafkaFigures() {}

    public static void main(String[] arguments) throws Exception {
        try (Broker broker = new Broker();
                TestDatabase database = TestDatabase.create();
                KafkaPublisher publisher =
                        KafkaPublisher.of(broker.properties()).events(broker.topic("figures"))) {
            measure(database, publisher, "warming up", 1_000, 100_000);
            measure(database, publisher, "1000 processes", 1_000, 100_000);
            measure(database, publisher, "1 process", 1, 2_000);
        }
        System.exit(0);
    }

    private static void measure(
            TestDatabase database, KafkaPublisher publisher, String what, int processes, int notices)
            throws InterruptedException {
        Namespace namespace = Namespace.of("figures", (task, process) -> Intent.none());
        Processes.on(KafkaNode.source(database.uri()))
                .namespace(namespace)
                .start()
                .close();
        database.execute(String.format(WRITE, processes, notices));
        long began = System.nanoTime();
        try (Processes node = Processes.on(KafkaNode.source(database.uri()))
                .namespace(namespace, publisher)
                .start()) {
            while (node.notices().backlog("figures").waiting() > 0) TimeUnit.MILLISECONDS.sleep(20);
        }
        double seconds = Duration.ofNanos(System.nanoTime() - began).toMillis() / 1000.0;
        System.out.printf(
                "{\"what\": \"notices to Kafka, %s\", \"notices\": %d, \"per_second\": %.0f}%n",
                what, notices, notices / seconds);
    }
}
