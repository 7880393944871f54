package dev.howdah.kafka;

import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import java.util.Map;
import org.postgresql.ds.PGSimpleDataSource;

/** The example of docs/guide/processes-notices.md. */
final class KafkaExample {
    private KafkaExample() {}

    static void run(String database, String broker) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(database);
        Namespace invoice =
                Namespace.of("invoice", (task, process) -> Intent.none().event("issued"));
        try (KafkaPublisher kafka = KafkaPublisher.of(Map.of("bootstrap.servers", broker))
                        .events("invoice-events")
                        .lifecycle("invoice-lifecycle");
                Processes processes =
                        Processes.on(source).namespace(invoice, kafka).start()) {
            processes.init("invoice", "2026-1", null);
        }
    }
}
