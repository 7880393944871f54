/** Tells Apache Kafka what happens to processes. */
@NullMarked
package dev.howdah.kafka;

import org.jspecify.annotations.NullMarked;
