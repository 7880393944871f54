/** Creates, checks and repairs the table and what belongs to it. */
@NullMarked
package dev.howdah.task.internal.table;

import org.jspecify.annotations.NullMarked;
