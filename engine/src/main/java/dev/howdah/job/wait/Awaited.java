package dev.howdah.job.wait;

import org.jspecify.annotations.Nullable;

/** Which of several that a handler waited for was the first to end. */
public final class Awaited {
    private final int index;
    private final Wait wait;
    private final @Nullable Object value;
    private final @Nullable ChildFailedException failure;

    /**
     * @param index the place among the arguments, from 0
     * @param value the signal, the event or the result of the job; null: there is none
     * @param failure of a job that is not done; null: it is, or this is none
     */
    public Awaited(int index, Wait wait, @Nullable Object value, @Nullable ChildFailedException failure) {
        this.index = index;
        this.wait = wait;
        this.value = value;
        this.failure = failure;
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
    @SuppressWarnings("unchecked") // it was read with the class of that wait
    public <T> Signal<T> signal(Wait.OfSignal<T> of) {
        if (!(value instanceof Signal<?> read) || !is(of)) throw other("signal \"" + of.name() + '"');
        return (Signal<T>) read;
    }

    /**
     * Returns the event.
     *
     * @throws IllegalStateException if another wait was the first to end
     */
    @SuppressWarnings("unchecked") // it was read with the class of that wait
    public <T> EmittedEvent<T> event(Wait.OfEvent<T> of) {
        if (!(value instanceof EmittedEvent<?> read) || !is(of))
            throw other("event \"" + of.event().topic() + '"');
        return (EmittedEvent<T>) read;
    }

    /**
     * Returns the result of the job.
     *
     * @throws ChildFailedException if it has failed or was cancelled
     * @throws IllegalStateException if another wait was the first to end
     */
    @SuppressWarnings("unchecked") // it was read with the class of that wait
    public <T> @Nullable T result(Wait.OfJob<T> of) {
        if (!is(of)) throw other("job " + of.id());
        if (failure != null) throw failure;
        return (T) value;
    }

    private IllegalStateException other(String what) {
        return new IllegalStateException("the first to end was not " + what + ", but " + wait);
    }

    @Override
    public String toString() {
        return wait + ", number " + index;
    }
}
