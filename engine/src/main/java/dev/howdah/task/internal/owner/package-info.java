/** Sessions with the privileges of a task's owner. */
@NullMarked
package dev.howdah.task.internal.owner;

import org.jspecify.annotations.NullMarked;
