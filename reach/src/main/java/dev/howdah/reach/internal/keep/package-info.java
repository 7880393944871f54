/** Connections that outlive a task, for the next one of the same owner, place and credential. */
@NullMarked
package dev.howdah.reach.internal.keep;

import org.jspecify.annotations.NullMarked;
