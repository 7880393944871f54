/**
 * Requests, mails, commands and documents as kinds of jobs. Begin with {@link dev.howdah.reach.job.ReachJobs}, which has a handler for each
 * kind, and a method for use in handlers of your own.
 */
@NullMarked
package dev.howdah.reach.job;

import org.jspecify.annotations.NullMarked;
