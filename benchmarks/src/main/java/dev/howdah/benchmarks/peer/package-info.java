/** Our contender in a side-by-side harness for job queues: each command is a process of its own. */
@NullMarked
package dev.howdah.benchmarks.peer;

import org.jspecify.annotations.NullMarked;
