package dev.howdah.job.unique;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobNames;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A rule of uniqueness: the jobs of a queue and kind that are the same, for how long, and what happens to the second one. By default jobs are the same while the
 * first one waits or runs, and the second one is skipped. Immutable: each method returns a copy.
 *
 * <pre>{@code
 * NewJob.of(INDEX, document).unique(Unique.byKey("document 12").whileWaiting().replacing());
 * NewJob.of(REPORT, month).unique(Unique.byPayload().within(Duration.ofHours(1)));
 * }</pre>
 *
 * <p>All is decided by the time of the database and by an index, in the transaction that adds the job. Until it ends, others that change the job of the
 * same key wait for it; an add that is skipped waits for no other.
 */
public final class Unique {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MOST = 99_999;

    /** The treatment of the second job. */
    private enum Then {
        SKIP,
        REPLACE,
        PUSH_BACK,
        APPEND,
        RUN_LAST
    }

    /** Null: by the payload. */
    private final @Nullable String key;

    private final boolean waiting;
    private final @Nullable Duration window;
    private final Then then;
    private final int most;
    private final @Nullable Duration longest;

    private Unique(
            @Nullable String key,
            boolean waiting,
            @Nullable Duration window,
            Then then,
            int most,
            @Nullable Duration longest) {
        this.key = key;
        this.waiting = waiting;
        this.window = window;
        this.then = then;
        this.most = most;
        this.longest = longest;
    }

    /**
     * Jobs with that key are the same.
     *
     * @param key 1 to 400 characters
     * @throws IllegalArgumentException if it is empty, longer, or has the character 0
     */
    public static Unique byKey(String key) {
        return new Unique(JobNames.checkKey(key), false, null, Then.SKIP, 0, null);
    }

    /** Jobs with the same payload are the same: the same JSON, with its fields in any order. A hash of it is their key. */
    public static Unique byPayload() {
        return new Unique(null, false, null, Then.SKIP, 0, null);
    }

    /**
     * Only a job that waits makes the second one superfluous, not one that runs: while it runs, another one is added, which may run beside
     * it. A job that has begun has left its key, and does not take it back when it is retried while another one has it.
     */
    public Unique whileWaiting() {
        return new Unique(key, true, window, then, most, longest);
    }

    /**
     * Once in a window: a second job is skipped for so long after the first one was added, even if that has ended. A job that waits or runs longer is
     * the first one still.
     *
     * @throws IllegalArgumentException if it is zero, negative, or longer than a thousand years
     */
    public Unique within(Duration window) {
        return new Unique(key, waiting, positive("a window", window), then, most, longest);
    }

    /**
     * The second job takes the place of the one that waits, with its payload and options, under the id of the first. It starts when the earlier of both
     * would. While the first one runs, the second runs after it; with {@link #whileWaiting} beside it.
     */
    public Unique replacing() {
        return new Unique(key, waiting, window, Then.REPLACE, most, longest);
    }

    /** As {@link #replacing}, but it starts when the second one would: the job runs when for the time of its delay no other was added. */
    public Unique pushingBack() {
        return new Unique(key, waiting, window, Then.PUSH_BACK, most, null);
    }

    /**
     * As {@link #pushingBack()}, but not later than so long after the first one was added.
     *
     * @throws IllegalArgumentException if it is zero, negative, or longer than a thousand years
     */
    public Unique pushingBack(Duration longest) {
        return new Unique(key, waiting, window, Then.PUSH_BACK, most, positive("a longest time", longest));
    }

    /**
     * The payloads are JSON arrays, and the elements of the second one are appended to that of the one that waits. If there would be more than so
     * many, the second job is added, and is the one to append to from then on; so it is while the first one runs.
     *
     * @param most the number of elements of a payload, 1 to 99,999
     * @throws IllegalArgumentException if it is out of bounds
     */
    public Unique appending(int most) {
        if (most < 1 || most > MOST)
            throw new IllegalArgumentException(most + " elements of a payload: it has to be 1 to " + MOST);
        return new Unique(key, true, window, Then.APPEND, most, longest);
    }

    /**
     * With {@link #within}: the last job of a window is not skipped, but starts when the window ends, and begins the next one. While the first one
     * waits, later ones take its place.
     */
    public Unique runningLast() {
        return new Unique(key, waiting, window, Then.RUN_LAST, most, longest);
    }

    private static Duration positive(String what, Duration time) {
        if (time.isZero()) throw new IllegalArgumentException(what + " of " + time + ": it has to be longer than 0");
        return Durations.check(time);
    }

    /** The key; null: it is a hash of the payload. */
    public @Nullable String key() {
        return key;
    }

    /** Returns true for a rule that is no more than a key: the second job is skipped while the first waits or runs. */
    public boolean isPlain() {
        return key != null && !waiting && window == null && then == Then.SKIP;
    }

    /**
     * The option {@code unique} of the SQL function {@code howdah.add}.
     *
     * @throws IllegalArgumentException if parts of it do not go together
     */
    public String toJson() {
        if (window != null && then != Then.SKIP && then != Then.RUN_LAST)
            throw new IllegalArgumentException(
                    "unique within " + window + ": what comes second is skipped, or runs last");
        if (window == null && then == Then.RUN_LAST)
            throw new IllegalArgumentException("unique, running the last: it needs a window, within(Duration)");
        if (then == Then.APPEND && key == null)
            throw new IllegalArgumentException(
                    "unique by payload, appending: jobs whose payloads differ have no key in common");
        ObjectNode json = JSON.createObjectNode();
        if (key == null) json.put("by", "payload");
        if (waiting) json.put("while", "waiting");
        if (then != Then.SKIP) json.put("then", then.name().toLowerCase(Locale.ROOT));
        if (window != null) json.put("within", seconds(window));
        if (then == Then.APPEND) json.put("most", most);
        if (longest != null) json.put("longest", seconds(longest));
        return json.toString();
    }

    private static String seconds(Duration time) {
        return BigDecimal.valueOf(Durations.micros(time), 6).toPlainString() + " seconds";
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Unique that
                && Objects.equals(key, that.key)
                && waiting == that.waiting
                && Objects.equals(window, that.window)
                && then == that.then
                && most == that.most
                && Objects.equals(longest, that.longest);
    }

    @Override
    public int hashCode() {
        return Objects.hash(key, waiting, window, then, most, longest);
    }
}
