/** The figures of the console with much data. */
@NullMarked
package dev.howdah.benchmarks.console;

import org.jspecify.annotations.NullMarked;
