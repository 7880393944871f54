/** Workflows: jobs that are added together, some of which wait for others. */
@NullMarked
package dev.howdah.job.workflow;

import org.jspecify.annotations.NullMarked;
