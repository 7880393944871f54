package dev.howdah.kafka;

import dev.howdah.process.notice.DeliveryException;
import dev.howdah.process.notice.Notice;
import dev.howdah.process.notice.Publisher;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Publishes notices of processes to Kafka, as progressor does: each event is a message in one topic ({@link #events}), each change of status
 * one in another ({@link #lifecycle}). Without a topic they are not published.
 *
 * <p>The key of a message is the namespace, a blank, and the process: so messages of a process lie in one partition. The value is a {@code SinkEvent}, or a
 * {@code LifecycleEvent}, of machinegun's protocol, in Thrift's binary encoding. The header {@code howdah-notice} is the id of the notice, in digits: it grows
 * with each message of a process, and is the same if a message is sent again.
 *
 * <p>A message of a process is sent when all in-sync replicas have written the previous one, so none overtakes another after a failure. A
 * message that is too large is blocked ({@link dev.howdah.process.Notices}); after any other error (a missing topic or privilege, a
 * broker that is down) it is sent again, and the log names the reason.
 *
 * <p>May be given to several namespaces. Safe for use by many threads. Close it after the {@code Processes}.
 */
public final class KafkaPublisher implements Publisher, AutoCloseable {
    /** Settings for a publisher whose notices are retried; other values may be given. */
    private static final Map<String, Object> DEFAULTS = Map.of(
            ProducerConfig.CLIENT_ID_CONFIG, "howdah",
            ProducerConfig.LINGER_MS_CONFIG, 0,
            ProducerConfig.MAX_BLOCK_MS_CONFIG, 10_000,
            ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 10_000,
            ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 20_000);

    /** Without these a message that was acknowledged might be lost, or come twice or too late. */
    private static final Map<String, String> NEEDED =
            Map.of(ProducerConfig.ACKS_CONFIG, "all", ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");

    private final Line line;
    private final @Nullable String events;
    private final @Nullable String lifecycle;

    private KafkaPublisher(Line line, @Nullable String events, @Nullable String lifecycle) {
        this.line = line;
        this.events = events;
        this.lifecycle = lifecycle;
    }

    /**
     * Makes a publisher with a producer of its own.
     *
     * @param properties of a producer, {@code bootstrap.servers} at least. {@code acks} is {@code all} and {@code
     * enable.idempotence} true; by default a message is given up after 20 seconds, and Howdah sends it again
     * @throws IllegalArgumentException if the properties are invalid
     */
    public static KafkaPublisher of(Map<String, ?> properties) {
        Map<String, Object> all = new HashMap<>(DEFAULTS);
        all.putAll(properties);
        NEEDED.forEach((name, value) -> {
            Object given = all.putIfAbsent(name, value);
            if (given != null && !given.toString().equalsIgnoreCase(value) && !isAll(name, given))
                throw new IllegalArgumentException(
                        name + "=" + given + " would lose messages: it has to be " + value + ", or absent");
        });
        try {
            ByteArraySerializer bytes = new ByteArraySerializer();
            return new KafkaPublisher(new Line(() -> new KafkaProducer<>(all, bytes, bytes)), null, null);
        } catch (KafkaException e) {
            Throwable cause = e.getCause();
            throw new IllegalArgumentException(
                    "no producer can be made of these properties: " + (cause == null ? e : cause).getMessage(), e);
        }
    }

    private static boolean isAll(String name, Object given) {
        return name.equals(ProducerConfig.ACKS_CONFIG) && given.toString().equals("-1");
    }

    /**
     * Makes a publisher with a producer of the caller, which the caller closes.
     *
     * @param producer with {@code acks=all} and {@code enable.idempotence=true}, which are Kafka's defaults
     */
    public static KafkaPublisher on(Producer<byte[], byte[]> producer) {
        return new KafkaPublisher(new Line(producer), null, null);
    }

    /**
     * Sets the topic of events.
     *
     * @throws IllegalArgumentException if it cannot be the name of a topic
     */
    public KafkaPublisher events(String topic) {
        return new KafkaPublisher(line, checked(topic), lifecycle);
    }

    /**
     * With that topic for changes of status: created, failed, working again, removed.
     *
     * @throws IllegalArgumentException if it can be no topic's name
     */
    public KafkaPublisher lifecycle(String topic) {
        return new KafkaPublisher(line, events, checked(topic));
    }

    private static String checked(String topic) {
        try {
            Topic.validate(topic);
            return topic;
        } catch (InvalidTopicException e) {
            throw new IllegalArgumentException("no topic can have the name \"" + topic + "\": " + e.getMessage(), e);
        }
    }

    @Override
    public void publish(List<Notice> notices) throws DeliveryException, InterruptedException {
        line.send(notices, notice -> notice.kind() == Notice.Kind.EVENT ? events : lifecycle);
    }

    /** Ends the producer, unless it is the caller's. */
    @Override
    public void close() {
        line.close(Duration.ofSeconds(5));
    }
}
