package dev.howdah.internal.json;

import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.TypeReference;
import java.lang.reflect.Type;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The type of a value that a codec reads: a class, or a generic type. Immutable. */
public final class CodedType<T> {
    /** The type, as one of the two. */
    private final @Nullable Class<T> plain;

    private final @Nullable TypeReference<T> generic;

    private CodedType(@Nullable Class<T> plain, @Nullable TypeReference<T> generic) {
        this.plain = plain;
        this.generic = generic;
    }

    /** @throws NullPointerException if there is none; the message says that it is needed for {@code what} */
    public static <T> CodedType<T> of(@Nullable Class<T> type, String what) {
        return new CodedType<>(needed(type, what), null);
    }

    /** As {@link #of(Class, String)}. */
    public static <T> CodedType<T> of(@Nullable TypeReference<T> type, String what) {
        return new CodedType<>(null, needed(type, what));
    }

    private static <V> V needed(@Nullable V type, String what) {
        return Objects.requireNonNull(type, () -> what + " needs a type, not null");
    }

    /** Returns the type. */
    public Type type() {
        return plain != null ? plain : Objects.requireNonNull(generic).type();
    }

    /** Returns its name without the package of a class. */
    public String simpleName() {
        return plain != null ? plain.getSimpleName() : toString();
    }

    /** @throws IllegalArgumentException if the text does not fit the type */
    public T decode(PayloadCodec codec, String json, PayloadCodec.Subject subject) {
        return plain != null
                ? codec.decode(json, plain, subject)
                : codec.decode(json, Objects.requireNonNull(generic), subject);
    }

    @Override
    public String toString() {
        return type().getTypeName();
    }
}
