/** What stands between the engine and the metrics of a program. */
@NullMarked
package dev.howdah.internal.metrics;

import org.jspecify.annotations.NullMarked;
