package dev.howdah.job.wait;

import org.jspecify.annotations.Nullable;

/** Which of several that a handler waited for was the first to end. */
public final class Awaited {
    private final int index;
    private final Wait wait;
    private final @Nullable Signal<?> signal;

    /**
     * @param index the place among the arguments, from 0
     * @param signal null unless {@code wait} is one
     */
    public Awaited(int index, Wait wait, @Nullable Signal<?> signal) {
        this.index = index;
        this.wait = wait;
        this.signal = signal;
    }

    /** Returns its place among the arguments, from 0. */
    public int index() {
        return index;
    }

    /** Returns whether it was this one. */
    public boolean is(Wait other) {
        return wait.equals(other);
    }

    /**
     * Returns the signal.
     *
     * @throws IllegalStateException if another wait was the first to end
     */
    @SuppressWarnings("unchecked")
    public <T> Signal<T> signal(Wait.OfSignal<T> of) {
        Signal<?> read = signal;
        if (read == null || !is(of))
            throw new IllegalStateException("the first to end was not signal \"" + of.name() + "\", but " + wait);
        return (Signal<T>) read;
    }

    @Override
    public String toString() {
        return wait + ", number " + index;
    }
}
