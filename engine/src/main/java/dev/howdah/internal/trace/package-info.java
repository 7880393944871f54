/** Traces of OpenTelemetry, where a program has its API; it is no dependency of the engine. */
@NullMarked
package dev.howdah.internal.trace;

import org.jspecify.annotations.NullMarked;
