/** Retention by queue and outcome. */
@NullMarked
package dev.howdah.job.internal.history;

import org.jspecify.annotations.NullMarked;
