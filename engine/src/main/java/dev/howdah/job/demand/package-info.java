/** Nodes that claim no more jobs than others want: see {@link dev.howdah.job.demand.JobDemand}. */
@NullMarked
package dev.howdah.job.demand;

import org.jspecify.annotations.NullMarked;
