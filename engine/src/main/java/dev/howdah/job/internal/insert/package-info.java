/** How jobs are added: rows of {@code NewJob}s, group commit of callers, the INSERT statements. */
@NullMarked
package dev.howdah.job.internal.insert;

import org.jspecify.annotations.NullMarked;
