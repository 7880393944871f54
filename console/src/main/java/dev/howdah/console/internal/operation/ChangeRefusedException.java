package dev.howdah.console.internal.operation;

/** The state of an object does not allow a change; the message is a sentence for people. */
public final class ChangeRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public ChangeRefusedException(String sentence) {
        super(sentence);
    }
}
