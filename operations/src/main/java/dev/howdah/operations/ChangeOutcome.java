package dev.howdah.operations;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How a call of an operation ended.
 *
 * @param sentence for people; empty: the one that the operation declares
 * @param results the values that it returns
 * @param undo the call that reverts it; null: there is none
 */
public record ChangeOutcome(
        Kind kind,
        String sentence,
        Values results,
        @Nullable Undo undo) {
    /** The kinds of ends. */
    public enum Kind {
        /** Something was changed. */
        DONE,
        /** Nothing was changed, since the object is as it should be. */
        ALREADY,
        /** Nothing was changed, since the state of the object does not allow it. */
        REFUSED,
        /** There is no such object. */
        MISSING,
        /** There is no such object any more. */
        GONE
    }

    /**
     * A call that reverts another one of the same object.
     *
     * @param values of its parameters
     */
    public record Undo(Operation by, Values values) {}

    /** The object was changed. */
    public static ChangeOutcome done() {
        return new ChangeOutcome(Kind.DONE, "", Values.NONE, null);
    }

    /** The object is as it should be. */
    public static ChangeOutcome already() {
        return new ChangeOutcome(Kind.ALREADY, "", Values.NONE, null);
    }

    /** Done, or nothing to do. */
    public static ChangeOutcome of(boolean isChanged) {
        return isChanged ? done() : already();
    }

    /** The state of the object does not allow it. */
    public static ChangeOutcome refused(String sentence) {
        return new ChangeOutcome(Kind.REFUSED, sentence, Values.NONE, null);
    }

    /** There is no such object. */
    public static ChangeOutcome missing(String sentence) {
        return new ChangeOutcome(Kind.MISSING, sentence, Values.NONE, null);
    }

    /** There is no such object any more. */
    public static ChangeOutcome gone(String sentence) {
        return new ChangeOutcome(Kind.GONE, sentence, Values.NONE, null);
    }

    /** The same, or that the object was so before, if that is so. */
    public ChangeOutcome alreadyIf(boolean isSame) {
        return isSame && kind == Kind.DONE ? already() : this;
    }

    /** The same in other words. */
    public ChangeOutcome said(String words) {
        return new ChangeOutcome(kind, words, results, undo);
    }

    /** The same with a value that the call returns. */
    public <T> ChangeOutcome with(Parameter<T> parameter, T value) {
        return new ChangeOutcome(kind, sentence, results.with(parameter, value), undo);
    }

    /** The same, which that call reverts if something was changed. */
    public ChangeOutcome undoneBy(Operation by, Values values) {
        return kind == Kind.DONE ? new ChangeOutcome(kind, sentence, results, new Undo(by, values)) : this;
    }

    /** The sentence as an error message: it continues a line, and has no period. */
    public String problem() {
        String words = sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
        return words.isEmpty() ? "" : words.substring(0, 1).toLowerCase(Locale.ROOT) + words.substring(1);
    }

    /** Whether nothing was changed because of an error of the caller. */
    public boolean isFailed() {
        return kind != Kind.DONE && kind != Kind.ALREADY;
    }
}
