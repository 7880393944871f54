/** What a running part is made of: the mailbox its loop reads, and the threads its work runs in. */
@NullMarked
package dev.howdah.internal.run;

import org.jspecify.annotations.NullMarked;
