package dev.howdah.kafka;

import dev.howdah.process.DeliveryException;
import dev.howdah.process.Notice;
import dev.howdah.process.Publisher;
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
 * Tells Kafka of what happens to processes, as progressor does: each event is a message in one topic ({@link #events}), each change of status
 * one in another ({@link #lifecycle}). Without a topic, these are told to nobody.
 *
 * <p>The key of a message is the namespace, a blank, and the process: so messages of a process lie in one partition. The value is a {@code SinkEvent}, or a
 * {@code LifecycleEvent}, of machinegun's protocol, in Thrift's binary encoding. The header {@code howdah-notice} is the number of the notice, in digits: it grows
 * with each message of a process, and is the same if one comes again.
 *
 * <p>A message of a process is sent when the one before has been written by all replicas in sync: so nothing is overtaken, whatever fails. A
 * message that is too large is held ({@link dev.howdah.process.Notices}); everything else that Kafka does not take, a topic that is not there, a right that is missing, a
 * broker that is down, is tried again, and the log says why.
 *
 * <p>May be given to several namespaces. Safe for use by many threads. Whoever has made it closes it, after the {@code Processes}.
 */
public final class KafkaPublisher implements Publisher, AutoCloseable {
    /** What is right for whoever repeats on his own; other values may be given. */
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
     * With a producer of its own.
     *
     * @param properties of a producer, {@code bootstrap.servers} at least. {@code acks} is {@code all} and {@code enable.idempotence} true; where these say nothing a message
     *     is given up after 20 seconds, and tried again by Howdah
     * @throws IllegalArgumentException if the properties make no sense
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
     * With that producer, which stays the caller's.
     *
     * @param producer with {@code acks=all} and {@code enable.idempotence=true}, which it has unless told otherwise
     */
    public static KafkaPublisher on(Producer<byte[], byte[]> producer) {
        return new KafkaPublisher(new Line(producer), null, null);
    }

    /**
     * With that topic for events.
     *
     * @throws IllegalArgumentException if it can be no topic's name
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
