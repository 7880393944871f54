package dev.howdah.operations.read;

import org.jspecify.annotations.Nullable;

/**
 * A workflow as JSON has it.
 *
 * @param jobs an array of jobs
 * @param isOpen whether jobs may be added later
 * @param ended a job for when all have ended; null: none
 * @param done a job for when all are done
 * @param failed a job for when all have ended and one has failed
 */
public record NewWorkflow(
        String jobs,
        @Nullable String name,
        boolean isOpen,
        @Nullable String ended,
        @Nullable String done,
        @Nullable String failed) {}
