/** What one PostgreSQL carries, and what many nodes cost it: computed from measured costs. */
@NullMarked
package dev.howdah.benchmarks.scaling;

import org.jspecify.annotations.NullMarked;
