/** The life of a scheduler: connect, stand by, lead for a term, start again. */
@NullMarked
package dev.howdah.task.internal.scheduler;

import org.jspecify.annotations.NullMarked;
