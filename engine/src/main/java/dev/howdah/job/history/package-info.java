/** Retention of ended jobs, their archives, and the tags that are counted. */
@NullMarked
package dev.howdah.job.history;

import org.jspecify.annotations.NullMarked;
