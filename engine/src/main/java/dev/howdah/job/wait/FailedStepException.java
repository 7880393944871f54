package dev.howdah.job.wait;

import dev.howdah.job.JobsException;
import org.jspecify.annotations.Nullable;

/** Thrown by a step that has failed in an earlier run, if its exception cannot be made again: its class has no public constructor for a message. */
public class FailedStepException extends JobsException {
    private static final long serialVersionUID = 1;

    private final String type;
    private final @Nullable String thrownMessage;

    /**
     * @param step its name
     * @param type the name of the class of its exception
     * @param message of that exception
     */
    public FailedStepException(String step, String type, @Nullable String message) {
        super("step \"" + step + "\" has failed in an earlier run: " + type + (message == null ? "" : ": " + message));
        this.type = type;
        this.thrownMessage = message;
    }

    /** Returns the name of the class of its exception. */
    public String type() {
        return type;
    }

    /** Returns the message of its exception; null: it had none. */
    public @Nullable String thrownMessage() {
        return thrownMessage;
    }
}
