package dev.howdah.process;

/**
 * What makes processes of one namespace what they are. Called by many threads, but never by two for one process.
 *
 * <p>It may run more than once for a task: when its node dies, the database is lost at the wrong moment, or a timer is tried again.
 */
@FunctionalInterface
public interface Processor {
    /**
     * What that task comes to.
     *
     * @param process as it is, with the history that was asked for
     * @throws StepFailedException the step has failed; a timer is tried again, if the namespace's policy says so
     * @throws Exception the step has failed for good; but as above for what the namespace calls {@link Namespace#transientErrors
     *     transient}
     */
    Intent process(ProcessTask task, ProcessState process) throws Exception;
}
