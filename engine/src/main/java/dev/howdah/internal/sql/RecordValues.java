package dev.howdah.internal.sql;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Takes the values of a statement's parameters from the components of a record that have their names. Immutable. */
final class RecordValues {
    private static final MethodType ACCESSOR = MethodType.methodType(Object.class, Object.class);

    private final Class<? extends Record> type;
    private final MethodHandle[] accessors;

    private RecordValues(Class<? extends Record> type, MethodHandle[] accessors) {
        this.type = type;
        this.accessors = accessors;
    }

    /**
     * @param where the file and the statement, for messages
     * @throws IllegalArgumentException if a name has no component, or a component no parameter
     */
    static RecordValues of(String where, List<String> names, Class<? extends Record> type) {
        Map<String, MethodHandle> components = new TreeMap<>();
        try {
            collect(type, MethodHandles.identity(type), components);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(type + " is closed to the library", e);
        }
        if (!components.keySet().equals(new TreeSet<>(names)))
            throw new IllegalArgumentException(where + " has the parameters " + new TreeSet<>(names) + ", and "
                    + type.getSimpleName() + " the components " + components.keySet());
        return new RecordValues(
                type,
                names.stream()
                        .map(each ->
                                Objects.requireNonNull(components.get(each)).asType(ACCESSOR))
                        .toArray(MethodHandle[]::new));
    }

    /** Adds the components of a record, and those of a record in it. */
    private static void collect(Class<?> type, MethodHandle record, Map<String, MethodHandle> components)
            throws IllegalAccessException {
        MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(type, MethodHandles.lookup());
        for (RecordComponent each : type.getRecordComponents()) {
            MethodHandle value = MethodHandles.filterReturnValue(record, lookup.unreflect(each.getAccessor()));
            if (each.getType().isRecord()) collect(each.getType(), value, components);
            else components.put(parameter(each), value);
        }
    }

    private static String parameter(RecordComponent component) {
        return component.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }

    @Nullable
    Object[] from(Record values) {
        if (values.getClass() != type)
            throw new IllegalArgumentException("a " + type.getSimpleName() + " is wanted, and this is " + values);
        @Nullable Object[] found = new @Nullable Object[accessors.length];
        try {
            for (int i = 0; i < found.length; i++) found[i] = (Object) accessors[i].invokeExact((Object) values);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
        return found;
    }
}
