/** Tasks: SQL text in the table {@code task}, run later, in order, with its output beside it. */
@NullMarked
package dev.howdah.task;

import org.jspecify.annotations.NullMarked;
