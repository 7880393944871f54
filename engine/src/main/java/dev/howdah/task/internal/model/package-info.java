/** A task on its way: as it waits, as it was claimed, and its result. */
@NullMarked
package dev.howdah.task.internal.model;

import org.jspecify.annotations.NullMarked;
