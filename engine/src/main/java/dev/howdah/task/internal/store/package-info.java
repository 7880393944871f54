/** The SQL files of tasks and the names of what belongs to a table. */
@NullMarked
package dev.howdah.task.internal.store;

import org.jspecify.annotations.NullMarked;
