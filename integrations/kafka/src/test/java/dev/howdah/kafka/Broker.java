package dev.howdah.kafka;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import kafka.server.BrokerServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.test.KafkaClusterTestKit;
import org.apache.kafka.common.test.TestKitNodes;

/** A Kafka with one broker, in this JVM, that can be stopped and started again. */
final class Broker implements AutoCloseable {
    private final KafkaClusterTestKit cluster;
    private final String address;

    Broker() throws Exception {
        TestKitNodes nodes = new TestKitNodes.Builder()
                .setNumControllerNodes(1)
                .setNumBrokerNodes(1)
                .build();
        cluster = new KafkaClusterTestKit.Builder(nodes)
                .setConfigProp("auto.create.topics.enable", "false")
                .setConfigProp("offsets.topic.replication.factor", "1")
                .build();
        cluster.format();
        cluster.startup();
        cluster.waitForReadyBrokers();
        address = cluster.bootstrapServers();
    }

    Map<String, Object> properties() {
        return Map.of("bootstrap.servers", address);
    }

    /** A topic of that name, with three partitions. */
    void create(String topic) throws Exception {
        try (Admin admin = Admin.create(properties())) {
            admin.createTopics(List.of(new NewTopic(topic, 3, (short) 1))).all().get();
        }
    }

    /** A topic of its own. */
    String topic(String kind) throws Exception {
        String name = kind + "-" + UUID.randomUUID();
        create(name);
        return name;
    }

    private BrokerServer only() {
        return cluster.brokers().values().iterator().next();
    }

    void stop() {
        only().shutdown();
        only().awaitShutdown();
    }

    void start() throws Exception {
        only().startup();
        cluster.waitForReadyBrokers();
    }

    /** A message. */
    record Message(String key, long notice, Map<Integer, Object> value) {}

    /** All messages of a topic; of each partition in their order. */
    List<Message> messages(String topic) {
        List<Message> messages = new ArrayList<>();
        ByteArrayDeserializer bytes = new ByteArrayDeserializer();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(properties(), bytes, bytes)) {
            List<TopicPartition> partitions = new ArrayList<>();
            for (PartitionInfo each : consumer.partitionsFor(topic))
                partitions.add(new TopicPartition(topic, each.partition()));
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (ends.entrySet().stream().anyMatch(each -> consumer.position(each.getKey()) < each.getValue()))
                for (ConsumerRecord<byte[], byte[]> each : consumer.poll(Duration.ofMillis(100)))
                    messages.add(message(each));
        }
        return messages;
    }

    private static Message message(ConsumerRecord<byte[], byte[]> each) {
        String notice = new String(each.headers().lastHeader("howdah-notice").value(), StandardCharsets.US_ASCII);
        return new Message(
                new String(each.key(), StandardCharsets.UTF_8),
                Long.parseLong(notice),
                new ThriftReader(each.value()).struct());
    }

    @Override
    public void close() throws Exception {
        cluster.close();
    }
}
