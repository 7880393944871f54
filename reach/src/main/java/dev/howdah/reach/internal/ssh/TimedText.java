package dev.howdah.reach.internal.ssh;

import java.time.Duration;

/** A text that a pattern of a stranger is matched with: a match that takes too long ends with an exception. For one thread. */
final class TimedText implements CharSequence {
    /** The match has taken too long. */
    static final class TooLongException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static final int LOOK = 1_024;

    private final String text;
    private final long until;
    private int reads;

    TimedText(String text, Duration most) {
        this.text = text;
        this.until = System.nanoTime() + most.toNanos();
    }

    @Override
    public int length() {
        return text.length();
    }

    @Override
    public char charAt(int index) {
        if (++reads % LOOK == 0 && System.nanoTime() - until > 0) throw new TooLongException();
        return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return text.subSequence(start, end);
    }

    @Override
    public String toString() {
        return text;
    }
}
