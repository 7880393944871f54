/** Figures of processes, beside statements like those of the system that they equal, in the same run. */
@NullMarked
package dev.howdah.benchmarks.process;

import org.jspecify.annotations.NullMarked;
