/** Spans of what is reached, where the program has set up OpenTelemetry. */
@NullMarked
package dev.howdah.reach.internal.trace;

import org.jspecify.annotations.NullMarked;
