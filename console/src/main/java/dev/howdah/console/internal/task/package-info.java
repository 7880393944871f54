/** Pages and actions of tasks. */
@NullMarked
package dev.howdah.console.internal.task;

import org.jspecify.annotations.NullMarked;
