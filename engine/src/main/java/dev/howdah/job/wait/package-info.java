/** Jobs whose handlers wait without a thread. */
@NullMarked
package dev.howdah.job.wait;

import org.jspecify.annotations.NullMarked;
