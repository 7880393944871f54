package dev.howdah.job.wait;

import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.internal.store.JobNames;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A signal to be sent to a job. Immutable: each method returns another one. */
public final class NewSignal {
    private final String name;
    private final @Nullable Object payload;
    private final long job;
    private final @Nullable Address address;
    private final @Nullable String id;
    private final boolean once;

    /** The job that has a key. */
    private record Address(String queue, String kind, String key) {}

    private NewSignal(
            String name,
            @Nullable Object payload,
            long job,
            @Nullable Address address,
            @Nullable String id,
            boolean once) {
        this.name = name;
        this.payload = payload;
        this.job = job;
        this.address = address;
        this.id = id;
        this.once = once;
    }

    /**
     * A signal to the job with that id.
     *
     * @param name that its handler waits for, 1 to 200 characters
     * @param payload that the codec can convert to JSON, 64 kB at most; null: none
     * @throws IllegalArgumentException if the name is empty or too long
     */
    public static NewSignal to(long job, String name, @Nullable Object payload) {
        return new NewSignal(JobNames.checkNew("signal", name), payload, job, null, null, false);
    }

    /** As {@link #to(long, String, Object)}, to the job of that kind that has that key, in the queue of the kind ({@code default} if that names none). */
    public static NewSignal to(Kind<?> kind, String key, String name, @Nullable Object payload) {
        return to(Objects.requireNonNullElse(kind.queueOrNull(), NewJob.DEFAULT_QUEUE), kind, key, name, payload);
    }

    /** As {@link #to(Kind, String, String, Object)}, in that queue. */
    public static NewSignal to(String queue, Kind<?> kind, String key, String name, @Nullable Object payload) {
        return new NewSignal(
                JobNames.checkNew("signal", name),
                payload,
                0,
                new Address(queue, kind.name(), JobNames.checkKey(key)),
                null,
                false);
    }

    /** Sets an id: of several signals to a job with one id only the first one counts, as long as the job or its history is there. */
    public NewSignal id(String text) {
        return new NewSignal(name, payload, job, address, JobNames.check("signal's id", text), once);
    }

    /** Counts only if it is the first signal of its name to the job. */
    public NewSignal once() {
        return new NewSignal(name, payload, job, address, id, true);
    }

    /** Returns the name that a handler waits for. */
    public String name() {
        return name;
    }

    /** Returns what it says; null: nothing. */
    public @Nullable Object payload() {
        return payload;
    }

    /** Returns the id of the job; 0: it is the one that has a key. */
    public long job() {
        return job;
    }

    /** Returns the queue of the job that has the key; null: it is addressed by its id. */
    public @Nullable String queue() {
        return address == null ? null : address.queue();
    }

    /** Returns the kind of the job that has the key; null: it is addressed by its id. */
    public @Nullable String kind() {
        return address == null ? null : address.kind();
    }

    /** Returns the key of the job; null: it is addressed by its id. */
    public @Nullable String key() {
        return address == null ? null : address.key();
    }

    /** Returns its id; null: none. */
    public @Nullable String id() {
        return id;
    }

    /** Returns whether it counts only as the first one of its name. */
    public boolean isOnce() {
        return once;
    }
}
