/**
 * Publishes notices of processes to Apache Kafka, in the formats of machinegun. {@link dev.howdah.kafka.KafkaPublisher} is the only entry
 * point; it implements {@link dev.howdah.process.notice.Publisher}.
 */
@NullMarked
package dev.howdah.kafka;

import org.jspecify.annotations.NullMarked;
