package dev.howdah.kafka;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.ProcessState;
import dev.howdah.process.ProcessTask;
import dev.howdah.process.Processes;
import dev.howdah.process.Processor;
import dev.howdah.process.StepFailedException;
import dev.howdah.process.notice.Publisher;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.postgresql.ds.PGSimpleDataSource;

/** Nodes whose processes do what they are told to; as a program, one that publishes and never gets to know it. */
final class KafkaNode {
    static final String NAMESPACE = "shop/invoice";

    private KafkaNode() {}

    static String url(String uri) {
        return "jdbc:postgresql://" + uri.substring("postgresql://postgres@".length()) + "?user=postgres";
    }

    static PGSimpleDataSource source(String uri) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url(uri));
        return source;
    }

    static Processes of(TestDatabase database, Processor processor, Publisher publisher) {
        return Processes.on(source(database.uri()))
                .namespace(Namespace.of(NAMESPACE, processor), publisher)
                .start();
    }

    /** "fail", "two" events, "one" event, or nothing. */
    static Intent obey(ProcessTask task, ProcessState process) {
        String args = task.args().size() == 0 ? "" : task.args().as(String.class);
        return switch (args) {
            case "fail" -> throw new StepFailedException("no");
            case "two" -> Intent.none().event("first").event("second");
            case "one" -> Intent.none().event("one");
            default -> Intent.none();
        };
    }

    /** @param arguments the address of the database, that of the broker, the topic of events */
    public static void main(String[] arguments) throws InterruptedException {
        KafkaPublisher publisher =
                KafkaPublisher.of(Map.of("bootstrap.servers", arguments[1])).events(arguments[2]);
        Processes.on(source(arguments[0]))
                .namespace(Namespace.of(NAMESPACE, KafkaNode::obey), notices -> {
                    publisher.publish(notices);
                    if (notices.stream().noneMatch(each -> each.event() != null)) return;
                    System.out.println("published");
                    new CountDownLatch(1).await();
                })
                .start();
        System.out.println("works");
        new CountDownLatch(1).await();
    }
}
