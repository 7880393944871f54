/** The metric instruments of the engine, guarded against exceptions of a user's {@link dev.howdah.spi.Metrics}. */
@NullMarked
package dev.howdah.internal.metrics;

import org.jspecify.annotations.NullMarked;
