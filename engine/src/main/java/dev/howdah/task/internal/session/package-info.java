/** Sessions that run tasks: the pool, how they are opened, the protocol of one task. */
@NullMarked
package dev.howdah.task.internal.session;

import org.jspecify.annotations.NullMarked;
