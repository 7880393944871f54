package dev.howdah.job;

import org.jspecify.annotations.Nullable;

/**
 * How an attempt ended, as it is written down.
 *
 * @param letter as in {@code howdah.batch.outcomes}
 * @param delayMicros when the job is due again, where it is
 * @param next where it goes on, if the letter is n
 */
record Verdict(
        char letter,
        long delayMicros,
        @Nullable String error,
        @Nullable String result,
        @Nullable Step next) {
    /**
     * Where the job goes on.
     *
     * @param payload JSON
     */
    record Step(String queue, String kind, String payload) {
        boolean isLarge() {
            return Payloads.isLarge(payload);
        }

        /** The database does not take its payload. */
        Verdict refused(String reason) {
            return failed(refusal() + reason);
        }

        /** The beginning of the error when the database does not take its payload. */
        String refusal() {
            return "its payload for " + kind + " is refused: ";
        }
    }

    Verdict(char letter, long delayMicros, @Nullable String error, @Nullable String result) {
        this(letter, delayMicros, error, result, null);
    }

    static Verdict next(Step next) {
        return new Verdict('n', 0, null, null, next);
    }

    static final Verdict DONE = new Verdict('d', 0, null, null);
    /** It had not begun. */
    static final Verdict GIVEN_BACK = new Verdict('g', 0, null, null);
    /** This node has no handler for it: it goes to a lane for its kind. */
    static final Verdict UNKNOWN = new Verdict('u', 0, null, null);
    /** It was written down already, in the job's own transaction. */
    static final Verdict WRITTEN = new Verdict('d', 0, null, null);

    /** The attempt could not be made, and nothing can be said about it. */
    static final Verdict UNEXPECTED = retry(60_000_000, "the attempt could not be made, see the log of its node");

    static Verdict retry(long delayMicros, String error) {
        return new Verdict('r', delayMicros, error, null);
    }

    static Verdict snooze(long delayMicros) {
        return new Verdict('s', delayMicros, null, null);
    }

    static Verdict failed(String error) {
        return new Verdict('f', 0, error, null);
    }

    static Verdict cancelled(String error) {
        return new Verdict('c', 0, error, null);
    }

    /** The same with another error. */
    Verdict withError(String other) {
        return new Verdict(letter, delayMicros, other, result, next);
    }

    /** Whether its handler has done what it had to do: what it did in the job's own transaction stands. */
    boolean isSuccess() {
        return letter == 'd' || letter == 'n';
    }

    /** Whether nothing is to be said but that it is done. */
    boolean isPlain() {
        return letter == 'd' && result == null;
    }
}
