package dev.howdah.process;

/**
 * The code of the processes of a namespace. Called by many threads, but never by two for one process.
 *
 * <p>It may run more than once for a task: after a crash of its node, after a loss of the database before the commit, or when a timer is retried.
 */
@FunctionalInterface
public interface Processor {
    /**
     * Returns the result of a task.
     *
     * @param process with the part of the history that was requested
     * @throws StepFailedException the step has failed; a timer is retried, if the namespace's policy says so
     * @throws Exception the step has failed for good, except as above for exceptions that the namespace lists as {@link Namespace#transientErrors
     *     transient}
     */
    Intent process(ProcessTask task, ProcessState process) throws Exception;
}
