/** How the sessions of a program are shared among the tables that it serves. */
@NullMarked
package dev.howdah.task.internal.quota;

import org.jspecify.annotations.NullMarked;
