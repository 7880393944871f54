package dev.howdah.beans;

import dev.howdah.job.JobsBuilder;

/**
 * A bean that sets more of the node of jobs than properties do: pipelines, handlers that are no methods of beans, limits of this node, listeners of
 * failures. Called at each start of the node, after the properties and before the handlers.
 *
 * <p>A {@code PayloadCodec}, a {@code RetryPolicy}, a {@code Handler.Interceptor} and a {@code NewJob.Interceptor} are taken from beans, so that they also
 * hold for the bean {@code Jobs}, which adds jobs.
 */
@FunctionalInterface
public interface JobsCustomizer {
    /** Sets something of the builder of the node. */
    void customize(JobsBuilder builder);
}
