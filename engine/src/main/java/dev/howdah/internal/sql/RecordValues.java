package dev.howdah.internal.sql;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
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
        Set<String> components = Arrays.stream(type.getRecordComponents())
                .map(RecordValues::parameter)
                .collect(Collectors.toCollection(TreeSet::new));
        if (!components.equals(new TreeSet<>(names)))
            throw new IllegalArgumentException(where + " has the parameters " + new TreeSet<>(names) + ", and "
                    + type.getSimpleName() + " the components " + components);
        try {
            MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(type, MethodHandles.lookup());
            MethodHandle[] accessors = new MethodHandle[names.size()];
            for (RecordComponent each : type.getRecordComponents())
                accessors[names.indexOf(parameter(each))] =
                        lookup.unreflect(each.getAccessor()).asType(ACCESSOR);
            return new RecordValues(type, accessors);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(type + " is closed to the library", e);
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
