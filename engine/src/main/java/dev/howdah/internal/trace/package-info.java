/** Traces of OpenTelemetry, if a program has its API on the class path; the engine does not depend on it. */
@NullMarked
package dev.howdah.internal.trace;

import org.jspecify.annotations.NullMarked;
