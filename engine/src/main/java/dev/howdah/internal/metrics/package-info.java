/** Guards the engine against exceptions of a user's {@link dev.howdah.spi.Metrics}. */
@NullMarked
package dev.howdah.internal.metrics;

import org.jspecify.annotations.NullMarked;
