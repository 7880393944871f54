/**
 * Interfaces that users may implement: {@link dev.howdah.spi.PayloadCodec}, {@link dev.howdah.spi.RetryPolicy} and {@link
 * dev.howdah.spi.Metrics}. All features use them; they depend on none. Implementations have to be safe for use by many threads.
 */
@NullMarked
package dev.howdah.spi;

import org.jspecify.annotations.NullMarked;
