/** Creates, checks and repairs the table, its indexes, triggers and functions. */
@NullMarked
package dev.howdah.task.internal.table;

import org.jspecify.annotations.NullMarked;
