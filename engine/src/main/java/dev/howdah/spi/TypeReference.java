package dev.howdah.spi;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * A generic type as a value, for payloads that no class describes. Immutable. Two references to one type are equal.
 *
 * <pre>{@code
 * Kind<List<Long>> invoices = Kind.of("invoices", new TypeReference<List<Long>>() {});
 * }</pre>
 *
 * @param <T> the type
 */
@SuppressWarnings("unused") // the type parameter is read by reflection
public abstract class TypeReference<T> {
    private final Type type;

    /** @throws IllegalStateException if the subclass does not name the type */
    protected TypeReference() {
        if (!(getClass().getGenericSuperclass() instanceof ParameterizedType named)
                || named.getRawType() != TypeReference.class)
            throw new IllegalStateException(
                    "a TypeReference has to name its type: new TypeReference<List<String>>() {}");
        this.type = named.getActualTypeArguments()[0];
    }

    private TypeReference(Type type) {
        this.type = type;
    }

    private static final class Known extends TypeReference<Object> {
        Known(Type type) {
            super(type);
        }
    }

    /** A reference to a type that is only known when the program runs. */
    public static TypeReference<?> of(Type type) {
        return new Known(type);
    }

    /** Returns the type. */
    public final Type type() {
        return type;
    }

    @Override
    public final boolean equals(@Nullable Object other) {
        return other instanceof TypeReference<?> that && type.equals(that.type);
    }

    @Override
    public final int hashCode() {
        return type.hashCode();
    }

    @Override
    public final String toString() {
        return type.getTypeName();
    }
}
