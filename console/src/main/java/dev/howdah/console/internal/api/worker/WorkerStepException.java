package dev.howdah.console.internal.api.worker;

/** What a step of a worker has thrown, in the worker's words. */
final class WorkerStepException extends Exception {
    private static final long serialVersionUID = 1;

    WorkerStepException(String error) {
        super(error, null, false, false);
    }
}
