package dev.howdah.job;

import dev.howdah.job.internal.store.JobNames;
import java.util.Objects;

/**
 * A kind of job: its name in the database, and the type of its payload.
 *
 * @param name 1 to 200 characters; must not change when classes are renamed
 * @param type of the payload: a record, or another type that the codec can convert to JSON and back
 */
public record Kind<T>(String name, Class<T> type) {
    /** @throws IllegalArgumentException if the name is empty or too long */
    public Kind {
        JobNames.check("kind", name);
        Objects.requireNonNull(type, () -> "the kind " + name + " needs a type of its payload, not null");
    }

    /** As the constructor. */
    public static <T> Kind<T> of(String name, Class<T> type) {
        return new Kind<>(name, type);
    }
}
