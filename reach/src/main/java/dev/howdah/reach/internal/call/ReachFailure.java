package dev.howdah.reach.internal.call;

import dev.howdah.spi.reach.ReachResult;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The error of a task, in words for the owner of its row. */
public final class ReachFailure extends Exception {
    private static final long serialVersionUID = 1;

    private final String sqlstate;
    private final @Nullable String detail;
    private final @Nullable String hint;
    private final boolean retries;
    private final Duration retryAfter;
    private final @Nullable String output;

    /** Why the host could not serve the task, in a few words; empty where it has done something with it; null where neither is known. */
    private final @Nullable String unavailable;

    /** What kind of error it is: the column {@code sqlstate}. Numbers are never used again for something else. */
    public enum Code {
        /** {@code remote} or one of its options cannot be understood. */
        ADDRESS("W1001"),
        /** {@code remote} or the input holds a secret. */
        SECRET_IN_ROW("W1002"),
        SCHEME("W1003"),
        /** The role may not reach that place, or not in that way. */
        NOT_ALLOWED("W1004"),
        /** There is no such credential for the role, or it is of another kind. */
        CREDENTIAL("W1005"),
        INPUT("W1006"),
        /** A document or template is not there, or is another role's. */
        DOCUMENT("W1008"),
        /** A program, driver, or database of the configuration is not there. */
        PROGRAM("W1009"),
        PRIVATE_ADDRESS("W1010"),
        UNKNOWN_HOST("W2001"),
        NOT_CONNECTED("W2002"),
        NOT_SECURE("W2003"),
        HOST_KEY("W2004"),
        LOGIN("W2005"),
        /** The connection was lost: it may have been carried out. */
        LOST("W2006"),
        STATUS_FOR_NOW("W3001"),
        STATUS("W3002"),
        REDIRECT("W3003"),
        MAIL_FOR_NOW("W3004"),
        MAIL_REFUSED("W3005"),
        EXIT("W3006"),
        /** A device has refused a line, or has shown no prompt. */
        LINE("W3007"),
        EXIT_FOR_NOW("W3008"),
        /** A database of another kind has refused a statement without a code of its own. */
        STATEMENT("W3009"),
        LATE("W4001"),
        /** The answer is too large, or cannot be kept as text. */
        ANSWER("W4002"),
        RENDERING("W4004"),
        INTERNAL("W5002");

        private final String sqlstate;

        Code(String sqlstate) {
            this.sqlstate = sqlstate;
        }

        /** Five characters. */
        public String sqlstate() {
            return sqlstate;
        }
    }

    private ReachFailure(
            String sqlstate,
            String message,
            @Nullable String detail,
            @Nullable String hint,
            boolean retries,
            Duration retryAfter,
            @Nullable String output,
            @Nullable String unavailable) {
        super(message);
        this.sqlstate = sqlstate;
        this.detail = detail;
        this.hint = hint;
        this.retries = retries;
        this.retryAfter = retryAfter;
        this.output = output;
        this.unavailable = unavailable;
    }

    /** Another attempt would fail in the same way. */
    public static ReachFailure lasting(Code code, String message, @Nullable String detail, @Nullable String hint) {
        return new ReachFailure(code.sqlstate(), message, detail, hint, false, Duration.ZERO, null, null);
    }

    /** The same without more to say. */
    public static ReachFailure lasting(Code code, String message) {
        return lasting(code, message, null, null);
    }

    /** Another attempt may help. */
    public static ReachFailure passing(Code code, String message, @Nullable String detail) {
        return passing(code, message, detail, Duration.ZERO);
    }

    /** Another attempt may help, after that time at the earliest. */
    public static ReachFailure passing(Code code, String message, @Nullable String detail, Duration retryAfter) {
        return new ReachFailure(code.sqlstate(), message, detail, null, true, retryAfter, null, "");
    }

    /** The same with what had come before it. */
    public ReachFailure after(String before) {
        return with(sqlstate, before, unavailable);
    }

    /** The same with the code that the receiver has given it; null where it has given none. */
    public ReachFailure code(@Nullable String given) {
        return given == null ? this : with(given, output, unavailable);
    }

    /** The same, of a host that could serve no other task now either: why, in a few words. */
    public ReachFailure unavailable(String why) {
        return with(sqlstate, output, why);
    }

    private ReachFailure with(String code, @Nullable String before, @Nullable String why) {
        return new ReachFailure(code, String.valueOf(getMessage()), detail, hint, retries, retryAfter, before, why);
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
        return new ReachResult(
                output, sqlstate, String.valueOf(getMessage()), detail, hint, retries, retryAfter, false);
    }
}
