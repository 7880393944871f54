/** Building blocks of running parts: the mailbox that a loop reads, threads, background work, the log context. */
@NullMarked
package dev.howdah.internal.run;

import org.jspecify.annotations.NullMarked;
