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
    private final @Nullable NewJob<?> created;

    /** The job that has a key. */
    private record Address(String queue, String kind, String key) {}

    private NewSignal(
            String name,
            @Nullable Object payload,
            long job,
            @Nullable Address address,
            @Nullable String id,
            boolean once,
            @Nullable NewJob<?> created) {
        this.created = created;
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
        return new NewSignal(JobNames.checkNew("signal", name), payload, job, null, null, false, null);
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
                false,
                null);
    }

    /** Sets an id: of several signals to a job with one id only the first one counts, as long as the job or its history is there. */
    public NewSignal id(String text) {
        return new NewSignal(name, payload, job, address, JobNames.check("signal's id", text), once, created);
    }

    /** Counts only if it is the first signal of its name to the job. */
    public NewSignal once() {
        return new NewSignal(name, payload, job, address, id, true, created);
    }

    /**
     * Adds a job to read the signal, if none has the key, and also if the one that has it ends without having read it: each signal is read by one job,
     * and there are never two with the key at a time.
     *
     * @param created of the kind and for the queue to which the signal is addressed; it has that key, and no rule of uniqueness, version, order key or
     *     time at which it runs
     * @throws IllegalArgumentException if it is of another kind or queue, or has something that it cannot have; if the signal is not addressed by a key
     */
    public NewSignal orCreate(NewJob<?> created) {
        Address to = address;
        if (to == null)
            throw new IllegalArgumentException("signal \"" + name + "\" is sent to job " + job + ", not to a key");
        String wrong = null;
        if (!created.kind().name().equals(to.kind()))
            wrong = "is of kind " + created.kind().name() + ", not " + to.kind();
        else if (!created.queue().equals(to.queue())) wrong = "is for queue " + created.queue() + ", not " + to.queue();
        else if (created.key() != null && !to.key().equals(created.key()))
            wrong = "has the key \"" + created.key() + "\", not \"" + to.key() + '"';
        else if (created.unique() != null && created.key() == null) wrong = "has a rule of uniqueness";
        else if (created.version() != null) wrong = "has a version";
        else if (created.orderKey() != null) wrong = "has an order key";
        else if (created.runAt() != null) wrong = "has a time at which it runs";
        if (wrong != null)
            throw new IllegalArgumentException("the job that is added to read signal \"" + name + "\" " + wrong);
        return new NewSignal(name, payload, job, to, id, once, created);
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

    /** Returns the job that is added to read it if no other does; null: none. */
    public @Nullable NewJob<?> created() {
        return created;
    }

    /** Returns whether it counts only as the first one of its name. */
    public boolean isOnce() {
        return once;
    }
}
