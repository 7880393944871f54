/** Results of {@link dev.howdah.job.JobAdmin}: jobs as they are in the database. */
@NullMarked
package dev.howdah.job.query;

import org.jspecify.annotations.NullMarked;
