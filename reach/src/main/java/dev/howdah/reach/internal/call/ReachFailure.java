package dev.howdah.reach.internal.call;

import dev.howdah.spi.reach.ReachResult;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The error of a task, in words for the owner of its row. */
public final class ReachFailure extends Exception {
    private static final long serialVersionUID = 1;

    private final @Nullable String detail;
    private final @Nullable String hint;
    private final boolean retries;
    private final Duration retryAfter;
    private final @Nullable String output;

    /** Why the host could not serve the task, in a few words; empty where it has done something with it; null where neither is known. */
    private final @Nullable String unavailable;

    private ReachFailure(
            String message,
            @Nullable String detail,
            @Nullable String hint,
            boolean retries,
            Duration retryAfter,
            @Nullable String output,
            @Nullable String unavailable) {
        super(message);
        this.detail = detail;
        this.hint = hint;
        this.retries = retries;
        this.retryAfter = retryAfter;
        this.output = output;
        this.unavailable = unavailable;
    }

    /** Another attempt would fail in the same way. */
    public static ReachFailure lasting(String message, @Nullable String detail, @Nullable String hint) {
        return new ReachFailure(message, detail, hint, false, Duration.ZERO, null, null);
    }

    /** The same without more to say. */
    public static ReachFailure lasting(String message) {
        return lasting(message, null, null);
    }

    /** Another attempt may help. */
    public static ReachFailure passing(String message, @Nullable String detail) {
        return passing(message, detail, Duration.ZERO);
    }

    /** Another attempt may help, after that time at the earliest. */
    public static ReachFailure passing(String message, @Nullable String detail, Duration retryAfter) {
        return new ReachFailure(message, detail, null, true, retryAfter, null, "");
    }

    /** The same with what had come before it. */
    public ReachFailure after(String before) {
        return new ReachFailure(String.valueOf(getMessage()), detail, hint, retries, retryAfter, before, unavailable);
    }

    /** The same, of a host that could serve no other task now either: why, in a few words. */
    public ReachFailure unavailable(String why) {
        return new ReachFailure(String.valueOf(getMessage()), detail, hint, retries, retryAfter, output, why);
    }

    /** The same, of a host that has answered. */
    public ReachFailure answered() {
        return unavailable("");
    }

    /** Why the host could not serve it; null where that is not so. */
    public @Nullable String whyUnavailable() {
        return unavailable == null || unavailable.isEmpty() ? null : unavailable;
    }

    /** Returns whether the host has done something with it. */
    public boolean isAnswered() {
        return unavailable != null && unavailable.isEmpty();
    }

    /** How long the host has asked to wait; zero where it has not. */
    public Duration retryAfter() {
        return retryAfter;
    }

    /** As the end of the task. */
    public ReachResult result() {
        return new ReachResult(output, String.valueOf(getMessage()), detail, hint, retries, retryAfter, false);
    }
}
