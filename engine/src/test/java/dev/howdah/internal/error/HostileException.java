package dev.howdah.internal.error;

import java.util.function.Supplier;

/** An exception whose methods do what they like. */
public final class HostileException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** What its methods do. */
    public enum Way {
        MESSAGE_THROWS,
        MESSAGE_THROWS_ERROR,
        MESSAGE_IS_NULL,
        MESSAGE_IS_LONG,
        MESSAGE_HAS_ZERO_AND_HALVES,
        TO_STRING_THROWS,
        HASH_CODE_THROWS,
        EQUALS_THROWS,
        CAUSE_THROWS,
        CAUSE_IS_ITSELF,
        CAUSES_ARE_A_CYCLE,
        CAUSES_NEVER_END,
        CAUSES_ARE_MANY,
        TRACE_THROWS,
        TRACE_IS_NULL,
        TRACE_HAS_NULLS,
        SUPPRESSED_IS_A_CYCLE
    }

    private final Way way;

    public HostileException(Way way) {
        super("hostile", way == Way.CAUSES_ARE_MANY ? deep(10_000) : null);
        this.way = way;
        if (way == Way.SUPPRESSED_IS_A_CYCLE) {
            RuntimeException other = new RuntimeException("other");
            other.addSuppressed(this);
            addSuppressed(other);
        }
    }

    private static Throwable deep(int depth) {
        Throwable cause = new IllegalStateException("the root");
        for (int i = 0; i < depth; i++) cause = new IllegalStateException("level " + i, cause);
        return cause;
    }

    private <T> T answer(Way mine, Supplier<T> otherwise) {
        if (way == mine) throw new IllegalCallerException("hostile " + mine);
        return otherwise.get();
    }

    @Override
    @SuppressWarnings("NullAway") // this is what code without null checks may do
    public String getMessage() {
        if (way == Way.MESSAGE_THROWS_ERROR) throw new NoClassDefFoundError("hostile");
        if (way == Way.MESSAGE_IS_NULL) return null;
        if (way == Way.MESSAGE_IS_LONG) return "long ".repeat(2_000_000);
        if (way == Way.MESSAGE_HAS_ZERO_AND_HALVES) return "a\0b\uD83Dc\uDE00d\n e";
        return answer(Way.MESSAGE_THROWS, super::getMessage);
    }

    @Override
    public String toString() {
        return answer(Way.TO_STRING_THROWS, super::toString);
    }

    @Override
    public int hashCode() {
        return answer(Way.HASH_CODE_THROWS, super::hashCode);
    }

    @Override
    public boolean equals(Object other) {
        return answer(Way.EQUALS_THROWS, () -> super.equals(other));
    }

    @Override
    @SuppressWarnings({"NullAway", "UnsynchronizedOverridesSynchronized"})
    public Throwable getCause() {
        if (way == Way.CAUSE_IS_ITSELF) return this;
        if (way == Way.CAUSES_NEVER_END) return new HostileException(way);
        if (way == Way.CAUSES_ARE_A_CYCLE) {
            RuntimeException back = new RuntimeException("back");
            back.initCause(this);
            return back;
        }
        return answer(Way.CAUSE_THROWS, super::getCause);
    }

    @Override
    @SuppressWarnings("NullAway")
    public StackTraceElement[] getStackTrace() {
        if (way == Way.TRACE_IS_NULL) return null;
        if (way == Way.TRACE_HAS_NULLS) return new StackTraceElement[3];
        return answer(Way.TRACE_THROWS, super::getStackTrace);
    }
}
