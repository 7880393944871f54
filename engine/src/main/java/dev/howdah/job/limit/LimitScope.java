package dev.howdah.job.limit;

import dev.howdah.job.internal.store.JobNames;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that a limit is for: those of a queue, of one kind in it, of one group in it, or of each group in it. Immutable.
 *
 * @param kind null: it is not for one kind
 * @param group null: it is not for one group
 * @param eachGroup whether it is for each group of the queue that has no limit of its own
 */
public record LimitScope(
        String queue, @Nullable String kind, @Nullable String group, boolean eachGroup) {
    /** @throws IllegalArgumentException if a name is empty or has more than 200 characters, or the scope is more than one of these */
    public LimitScope {
        JobNames.check("queue", queue);
        if (kind != null) JobNames.check("kind", kind);
        if (group != null) JobNames.check("group", group);
        if ((kind != null ? 1 : 0) + (group != null ? 1 : 0) + (eachGroup ? 1 : 0) > 1)
            throw new IllegalArgumentException(
                    "a limit is for a kind, for a group, or for each group: not for several of these");
    }

    /** All jobs of a queue together. */
    public static LimitScope queue(String queue) {
        return new LimitScope(queue, null, null, false);
    }

    /** The jobs of one kind of the queue. */
    public LimitScope kind(String name) {
        return new LimitScope(queue, name, group, eachGroup);
    }

    /** The jobs of one group of the queue. */
    public LimitScope group(String name) {
        return new LimitScope(queue, kind, name, eachGroup);
    }

    /** Each group of the queue that has no limit of its own; each for itself. */
    public LimitScope forEachGroup() {
        return new LimitScope(queue, kind, group, true);
    }
}
