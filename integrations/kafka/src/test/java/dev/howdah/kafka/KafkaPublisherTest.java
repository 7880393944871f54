package dev.howdah.kafka;

import static dev.howdah.kafka.KafkaNode.NAMESPACE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.ChildJvm;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.process.Action;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.NewEvent;
import dev.howdah.process.ProcessException;
import dev.howdah.process.Processes;
import dev.howdah.process.Processor;
import dev.howdah.process.notice.BlockedNotice;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What happens to processes comes to Kafka, whatever dies. On a real broker. */
@PostgresTest
@Tag("long")
class KafkaPublisherTest {
    private static final Instant STAMP = Instant.parse("2026-03-01T12:00:00.999Z");
    private static final Map<Integer, Object> CREATED = Map.of(1, Map.of(1, Map.of()));
    private static final Map<Integer, Object> WORKING = Map.of(1, Map.of(2, Map.of(1, Map.of(1, Map.of()))));
    private static final Map<Integer, Object> REMOVED = Map.of(1, Map.of(3, Map.of()));

    private static Broker broker;

    private final TestDatabase database;

    KafkaPublisherTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    static void start() throws Exception {
        broker = new Broker();
    }

    @AfterAll
    static void stop() throws Exception {
        broker.close();
    }

    private static Map<Integer, Object> failed(String reason) {
        return Map.of(1, Map.of(2, Map.of(1, Map.of(2, Map.of(1, reason)))));
    }

    private static void until(String what, Callable<Boolean> condition) {
        await(what).atMost(Patience.LIMIT).pollInSameThread().until(condition);
    }

    private static String reason(Runnable asked) {
        try {
            asked.run();
            return "";
        } catch (ProcessException e) {
            return e.getMessage();
        }
    }

    /** What messages of a process tell, in their order: numbers of events, or changes of status. */
    private static List<Object> told(String topic, String process) {
        List<Object> told = new ArrayList<>();
        for (Broker.Message each : broker.messages(topic)) {
            Map<Integer, Object> value = each.value();
            Map<?, ?> event = value.get(1) instanceof Map<?, ?> inner ? inner : null;
            Object namespace = event == null ? value.get(1) : event.get(1);
            Object id = event == null ? value.get(2) : event.get(2);
            assertThat(each.key()).isEqualTo(namespace + " " + id);
            if (process.equals(id)) told.add(event == null ? value.get(4) : event.get(3));
        }
        return told;
    }

    private static void awaitTold(Processes processes) {
        until("all is told", () -> processes.notices().backlog(NAMESPACE).waiting() == 0);
    }

    @Test
    void steps_comeToBothTopics() throws Exception {
        String events = broker.topic("events");
        String lifecycle = broker.topic("lifecycle");
        Processor processor = (task, process) -> switch (task.type()) {
            case INIT ->
                Intent.none()
                        .event(NewEvent.of(1, "first").at(STAMP).metadata(Map.of("format_version", 7)))
                        .event(2, "second");
            case CALL -> Intent.none().event(3, "third").then(Action.timeout());
            default -> Intent.none().event(4, "fourth");
        };
        try (KafkaPublisher publisher =
                        KafkaPublisher.of(broker.properties()).events(events).lifecycle(lifecycle);
                Processes processes = KafkaNode.of(database, processor, publisher)) {
            processes.init(NAMESPACE, "a", null);
            awaitTold(processes);
            assertThat(told(events, "a")).containsExactly(1L, 2L);
            assertThat(told(lifecycle, "a")).containsExactly(CREATED);
            processes.call(NAMESPACE, "a", null);
            until("the timer has run", () -> processes.get(NAMESPACE, "a").lastEventId() == 4);
            processes.remove(NAMESPACE, "a");
            awaitTold(processes);
        }
        assertThat(told(events, "a")).containsExactly(1L, 2L, 3L, 4L);
        assertThat(told(lifecycle, "a")).containsExactly(CREATED, REMOVED);
        Map<Integer, Object> data = Map.of(6, "\"first\"");
        assertThat(broker.messages(events).get(0).value())
                .isEqualTo(Map.of(1, Map.of(1, NAMESPACE, 2, "a", 3, 1L, 4, "2026-03-01T12:00:00Z", 5, 7, 6, data)));
        Map<Integer, Object> created = broker.messages(lifecycle).get(0).value();
        assertThat(created)
                .containsOnlyKeys(1, 2, 3, 4)
                .containsEntry(1, NAMESPACE)
                .containsEntry(2, "a");
        assertThat(String.valueOf(created.get(3))).matches("20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
    }

    @Test
    void failuresAndRepairs_comeToTheLifecycle() throws Exception {
        String events = broker.topic("events");
        String lifecycle = broker.topic("lifecycle");
        try (KafkaPublisher publisher =
                        KafkaPublisher.of(broker.properties()).events(events).lifecycle(lifecycle);
                Processes processes = KafkaNode.of(database, KafkaNode::obey, publisher)) {
            processes.init(NAMESPACE, "a", null);
            assertThat(reason(() -> processes.call(NAMESPACE, "a", "fail"))).isEqualTo("no");
            assertThat(reason(() -> processes.repair(NAMESPACE, "a", "fail"))).isEqualTo("no");
            processes.repair(NAMESPACE, "a", "one");
            assertThat(reason(() -> processes.init(NAMESPACE, "b", "fail"))).isEqualTo("no");
            awaitTold(processes);
        }
        assertThat(told(lifecycle, "a")).containsExactly(CREATED, failed("no"), WORKING);
        assertThat(told(lifecycle, "b")).containsExactly(failed("no"));
        assertThat(told(events, "a")).containsExactly(1L);
        assertThat(broker.messages(events)).hasSize(1);
    }

    @Test // nobody tells for a while
    void nodeWithoutPublisher_whatItDidIsToldLater() throws Exception {
        String events = broker.topic("events");
        String lifecycle = broker.topic("lifecycle");
        Namespace silent =
                Namespace.builder(NAMESPACE, KafkaNode::obey).outbox(true).build();
        try (Processes processes =
                Processes.on(KafkaNode.source(database.uri())).namespace(silent).start()) {
            processes.init(NAMESPACE, "a", null);
            assertThat(reason(() -> processes.call(NAMESPACE, "a", "fail"))).isEqualTo("no");
            processes.repair(NAMESPACE, "a", "one");
            assertThat(processes.notices().backlog(NAMESPACE).waiting()).isEqualTo(4);
        }
        assertThat(broker.messages(events)).isEmpty();
        assertThat(broker.messages(lifecycle)).isEmpty();
        ByteArraySerializer bytes = new ByteArraySerializer();
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(broker.properties(), bytes, bytes);
                Processes processes = KafkaNode.of(
                        database,
                        KafkaNode::obey,
                        KafkaPublisher.on(producer).events(events).lifecycle(lifecycle))) {
            awaitTold(processes);
        }
        assertThat(told(lifecycle, "a")).containsExactly(CREATED, failed("no"), WORKING);
        assertThat(told(events, "a")).containsExactly(1L);
    }

    @Test
    void broker_down_delaysMessagesAndNothingElse() throws Exception {
        String events = broker.topic("events");
        Map<String, Object> properties = new HashMap<>(broker.properties());
        properties.put("max.block.ms", 2_000);
        properties.put("request.timeout.ms", 1_000);
        properties.put("delivery.timeout.ms", 2_000);
        try (KafkaPublisher publisher = KafkaPublisher.of(properties).events(events);
                Processes processes = KafkaNode.of(database, KafkaNode::obey, publisher)) {
            processes.init(NAMESPACE, "a", "two");
            processes.init(NAMESPACE, "b", null);
            awaitTold(processes);
            broker.stop();
            try {
                for (int i = 0; i < 50; i++) processes.call(NAMESPACE, i % 2 == 0 ? "a" : "b", "one");
                until(
                        "it is seen that they wait",
                        () -> processes.notices().backlog(NAMESPACE).lag().toSeconds() >= 2);
                for (int i = 0; i < 50; i++) processes.call(NAMESPACE, i % 2 == 0 ? "a" : "b", "one");
                assertThat(processes.get(NAMESPACE, "a").lastEventId()).isEqualTo(52);
                assertThat(processes.notices().backlog(NAMESPACE).waiting()).isEqualTo(100);
            } finally {
                broker.start();
            }
            awaitTold(processes);
        }
        for (String process : List.of("a", "b")) {
            List<Object> told = told(events, process);
            assertThat(new LinkedHashSet<>(told)).hasSize(process.equals("a") ? 52 : 50);
            assertThat(told).isSortedAccordingTo((x, y) -> Long.compare((Long) x, (Long) y));
        }
    }

    @Test // what was being told is told again from where it was, and nothing is overtaken
    void node_killedBetweenPublishingAndKnowing_repeatsInOrder() throws Exception {
        String events = broker.topic("events");
        try (ChildJvm doomed = ChildJvm.start(
                KafkaNode.class,
                List.of("-XX:TieredStopAtLevel=1"),
                database.uri(),
                String.valueOf(broker.properties().get("bootstrap.servers")),
                events)) {
            Collection<String> said = doomed.lines();
            until("it works", () -> said.contains("works"));
            try (Processes client =
                    Processes.on(KafkaNode.source(database.uri())).start()) {
                for (String id : List.of("a", "b")) client.init(NAMESPACE, id, "two");
                until("it has published", () -> said.contains("published"));
                for (String id : List.of("a", "b", "a", "b")) client.call(NAMESPACE, id, "two");
                doomed.kill();
            }
        }
        try (KafkaPublisher publisher = KafkaPublisher.of(broker.properties()).events(events);
                Processes processes = KafkaNode.of(database, KafkaNode::obey, publisher)) {
            awaitTold(processes);
        }
        List<Object> all = List.of(1L, 2L, 3L, 4L, 5L, 6L);
        int repeated = 0;
        for (String process : List.of("a", "b")) {
            List<Object> told = told(events, process);
            int before = told.size() - told.lastIndexOf(1L) == 6 ? told.lastIndexOf(1L) : 0;
            // First what the dead node told, from the first on, then what was not known to have arrived.
            assertThat(told.subList(0, before)).isEqualTo(all.subList(0, before));
            assertThat(new ArrayList<>(new LinkedHashSet<>(told))).isEqualTo(all);
            repeated += before;
        }
        assertThat(repeated).isGreaterThan(0);
    }

    @Test // it may be made later; the other topic is told meanwhile
    void topic_thatIsNotThere_isWaitedFor() throws Exception {
        String lifecycle = broker.topic("lifecycle");
        String events = "later-" + lifecycle;
        Map<String, Object> properties = new HashMap<>(broker.properties());
        properties.put("max.block.ms", 500);
        List<String> said = new CopyOnWriteArrayList<>();
        try (KafkaPublisher publisher =
                        KafkaPublisher.of(properties).events(events).lifecycle(lifecycle);
                Processes processes = KafkaNode.of(database, KafkaNode::obey, notices -> {
                    try {
                        publisher.publish(notices);
                    } catch (Exception e) {
                        said.add(String.valueOf(e.getMessage()));
                        throw e;
                    }
                })) {
            for (String id : List.of("a", "b", "c")) processes.init(NAMESPACE, id, "two");
            until(
                    "it says so",
                    () -> said.stream().anyMatch(each -> each.contains("Topic " + events + " not present")));
            until("the other is told", () -> told(lifecycle, "c").size() == 1);
            assertThat(processes.notices().held(NAMESPACE, 10)).isEmpty();
            broker.create(events);
            awaitTold(processes);
            for (String id : List.of("a", "b", "c"))
                assertThat(told(events, id)).containsExactly(1L, 2L);
        }
    }

    @Test // never lost without a word: it is held, and those behind it
    void message_tooLarge_holdsItsProcessUntilSomebodyDecides() throws Exception {
        String events = broker.topic("events");
        Processor processor =
                (task, process) -> Intent.none().event(task.args().size() > 0 ? new byte[2 << 20] : new byte[10]);
        try (KafkaPublisher publisher = KafkaPublisher.of(broker.properties()).events(events);
                Processes processes = KafkaNode.of(database, processor, publisher)) {
            processes.init(NAMESPACE, "a", "large");
            processes.init(NAMESPACE, "b", null);
            processes.call(NAMESPACE, "a", null);
            until("it is held", () -> processes.notices().held(NAMESPACE, 10).size() == 1);
            until("the other is told", () -> told(events, "b").equals(List.of(1L)));
            BlockedNotice held = processes.notices().held(NAMESPACE, 10).get(0);
            assertThat(held.process()).isEqualTo("a");
            assertThat(held.event()).isEqualTo(1);
            assertThat(held.reason()).contains("larger than");
            assertThat(told(events, "a")).isEmpty();
            processes.notices().skip(NAMESPACE, "a");
            until("the rest is told", () -> told(events, "a").equals(List.of(2L)));
            assertThat(processes.notices().backlog(NAMESPACE).held()).isZero();
        }
    }

    @Test
    void settings_thatMakeNoSense_areRefused() {
        assertThatThrownBy(() -> KafkaPublisher.of(Map.of("bootstrap.servers", "a:1", "acks", "1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("acks=1 would lose messages: it has to be all, or absent");
        assertThatThrownBy(() -> KafkaPublisher.of(Map.of())).hasMessageContaining("bootstrap.servers");
        assertThatThrownBy(() -> KafkaPublisher.of(Map.of("bootstrap.servers", "nowhere")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nowhere");
        try (KafkaPublisher publisher = KafkaPublisher.of(broker.properties())) {
            assertThatThrownBy(() -> publisher.events("a b")).hasMessageContaining("no topic can have the name");
        }
    }

    @Test
    void example_ofTheGuide_isWhatRunsHere() throws Exception {
        String guide = Files.readString(Path.of("../../docs/guide/processes-notices.md"));
        Matcher block = Pattern.compile("```java\\n((?:import [^\\n]*\\n)+)([^`]*KafkaPublisher[^`]*)```")
                .matcher(guide);
        assertThat(block.find()).isTrue();
        String example = Files.readString(Path.of("src/test/java/dev/howdah/kafka/KafkaExample.java"));
        String shown = block.group(2)
                .replace("\"jdbc:postgresql://db.example/shop?user=postgres\"", "database")
                .replace("\"kafka.example:9092\"", "broker");
        assertThat(example.replaceAll("\\s", "")).contains(shown.replaceAll("\\s", ""));
        for (String topic : List.of("invoice-events", "invoice-lifecycle")) broker.create(topic);
        KafkaExample.run(
                KafkaNode.url(database.uri()),
                String.valueOf(broker.properties().get("bootstrap.servers")));
        try (KafkaPublisher publisher = KafkaPublisher.of(broker.properties())
                        .events("invoice-events")
                        .lifecycle("invoice-lifecycle");
                Processes processes = Processes.on(KafkaNode.source(database.uri()))
                        .namespace(Namespace.of("invoice", KafkaNode::obey), publisher)
                        .start()) {
            // The example need not have told all of it before it ended.
            until("all is told", () -> processes.notices().backlog("invoice").waiting() == 0);
        }
        assertThat(told("invoice-lifecycle", "2026-1")).contains(CREATED);
        assertThat(told("invoice-events", "2026-1")).contains(1L);
    }
}
