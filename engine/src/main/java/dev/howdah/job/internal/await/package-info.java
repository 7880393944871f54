/** Waiting for the end of jobs: programs note which, and are notified. */
@NullMarked
package dev.howdah.job.internal.await;

import org.jspecify.annotations.NullMarked;
