package dev.howdah.process;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The failure of a request to a process. {@link #reason()} is for programs, the message for people and logs. Messages hold no stack
 * trace of the processor: the trace is in {@link Processes#trace} and in the log of the node.
 */
public class ProcessException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final Reason reason;

    /** Why a request failed. Later versions may add constants. */
    public enum Reason {
        /** No program has registered the namespace. */
        NAMESPACE_NOT_FOUND("namespace not found"),
        /** There is no process of that id. */
        PROCESS_NOT_FOUND("process not found"),
        /** A process of that id exists. */
        PROCESS_EXISTS("process already exists"),
        /** The first step of the process has not ended, and the request does not allow that. */
        PROCESS_INIT("process is init"),
        /** The process is running, and the request does not allow that. */
        PROCESS_RUNNING("process is running"),
        /** The process is in error and has to be repaired first. */
        PROCESS_ERROR("process is error"),
        /** No answer came within the timeout of the request, or the step took longer than the timeout of its namespace. */
        TIMEOUT("timeout"),
        /** The step took longer than its timeout, or its node crashed, and the namespace is not repeatable. */
        CRASHED("zombie detected"),
        /** The database has gone back to a state from before the request, by a failover that lost WAL or by a restore. */
        LOST("the request was lost: the database has gone back to an earlier state"),
        /** The idempotency key belongs to another request. */
        KEY_CONFLICT("key belongs to another request"),
        /**
         * The step failed, or its processor refused the request. The message is that of the processor, or the first line of the error.
         */
        STEP_FAILED(""),
        /** The process changed at each attempt to reach it. The request was not accepted. */
        CONFLICT(""),
        /** No notice of the process is blocked. */
        NOTICE_NOT_BLOCKED(""),
        /** This object, or the program, is shutting down. The request was not accepted. */
        CLOSED(""),
        /** The thread was interrupted while it waited. An accepted request is carried out all the same. */
        INTERRUPTED(""),
        /** The database, or the connection to it, failed. The message says if the request may have been accepted. */
        DATABASE("");

        private final String message;

        Reason(String message) {
            this.message = message;
        }

        /** Returns the message of each exception with this reason; empty if messages differ. */
        public String message() {
            return message;
        }
    }

    /** With the message of the reason. */
    public ProcessException(Reason reason) {
        this(reason, reason.message(), null);
    }

    public ProcessException(Reason reason, String message) {
        this(reason, message, null);
    }

    public ProcessException(Reason reason, String message, @Nullable Throwable cause) {
        super(Objects.requireNonNull(message), cause);
        this.reason = Objects.requireNonNull(reason);
    }

    @Override
    public String getMessage() {
        return Objects.requireNonNull(super.getMessage());
    }

    /** Returns why the request failed. */
    public Reason reason() {
        return reason;
    }
}
