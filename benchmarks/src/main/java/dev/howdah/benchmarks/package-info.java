/** Measures the program as a process of its own, on the PostgreSQL that it brings along, the way its users run it. */
@NullMarked
package dev.howdah.benchmarks;

import org.jspecify.annotations.NullMarked;
