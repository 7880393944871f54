package dev.howdah.job;

import dev.howdah.job.internal.store.JobNames;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.TypeReference;
import java.lang.reflect.Type;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A kind of job: its name in the database, and the type of its payload. Immutable.
 *
 * @param <T> the type of the payload: a record, or another type that the codec can convert to JSON and back
 */
public final class Kind<T> {
    private final String name;
    /** The type, as one of the two. */
    private final @Nullable Class<T> plain;

    private final @Nullable TypeReference<T> generic;

    private Kind(String name, @Nullable Class<T> plain, @Nullable TypeReference<T> generic) {
        JobNames.check("kind", name);
        if (plain == null && generic == null)
            throw new NullPointerException("the kind " + name + " needs a type of its payload, not null");
        this.name = name;
        this.plain = plain;
        this.generic = generic;
    }

    /**
     * Makes a kind.
     *
     * @param name 1 to 200 characters; must not change when classes are renamed
     * @param type of the payload; {@code Void.class} for jobs without one
     * @throws IllegalArgumentException if the name is empty or too long
     */
    public static <T> Kind<T> of(String name, Class<T> type) {
        return new Kind<>(name, type, null);
    }

    /**
     * Makes a kind with a generic payload, such as {@code new TypeReference<List<Long>>() {}}. A payload is written to JSON by its class:
     * put elements that Jackson tells apart by {@code @JsonTypeInfo} into a record instead of a bare list.
     *
     * @param name 1 to 200 characters
     * @param type of the payload
     * @throws IllegalArgumentException if the name is empty or too long
     */
    public static <T> Kind<T> of(String name, TypeReference<T> type) {
        return new Kind<>(name, null, type);
    }

    public String name() {
        return name;
    }

    /** Returns the type of the payload. */
    public Type type() {
        return plain != null ? plain : Objects.requireNonNull(generic).type();
    }

    String typeName() {
        return plain != null ? plain.getSimpleName() : type().getTypeName();
    }

    /**
     * Returns the payload of this JSON text.
     *
     * @throws IllegalArgumentException if it does not fit the type
     */
    public T decode(PayloadCodec codec, String json) {
        return plain != null ? codec.decode(json, plain) : codec.decode(json, Objects.requireNonNull(generic));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Kind<?> that && name.equals(that.name) && type().equals(that.type());
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, type());
    }

    @Override
    public String toString() {
        return name + " (" + type().getTypeName() + ")";
    }
}
