/** The SQL files of tasks and the names of the objects of a table. */
@NullMarked
package dev.howdah.task.internal.store;

import org.jspecify.annotations.NullMarked;
