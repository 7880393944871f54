package dev.howdah.beans.internal.handler;

import dev.howdah.job.Kind;
import dev.howdah.spi.TypeReference;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The kinds that an application declares for its handlers and for what adds their jobs: constants and beans. */
final class DeclaredKinds {
    private final List<? extends Kind<?>> beans;

    DeclaredKinds(List<? extends Kind<?>> beans) {
        this.beans = beans;
    }

    /**
     * The constant of that class, or the bean, of that name; one without queue, retries and timeout if there is none.
     *
     * @param constants {@code void}: none is named
     * @throws IllegalArgumentException if the class has no such constant, or its payload is another one
     */
    Kind<?> find(String name, Class<?> constants, Type payload) {
        Kind<?> found = constants == void.class ? bean(name) : constant(name, constants);
        if (found == null)
            return payload instanceof Class<?> plain ? Kind.of(name, plain) : Kind.of(name, TypeReference.of(payload));
        if (!found.type().equals(payload))
            throw new IllegalArgumentException("its payload is " + payload.getTypeName() + ", and that of the "
                    + what(constants) + " " + found + " is another one");
        return found;
    }

    private static String what(Class<?> constants) {
        return constants == void.class ? "bean" : "constant";
    }

    private @Nullable Kind<?> bean(String name) {
        for (Kind<?> each : beans) if (each.name().equals(name)) return each;
        return null;
    }

    private static Kind<?> constant(String name, Class<?> constants) {
        for (Field each : constants.getDeclaredFields()) {
            if (!Modifier.isStatic(each.getModifiers()) || !Kind.class.isAssignableFrom(each.getType())) continue;
            if (value(each) instanceof Kind<?> kind && kind.name().equals(name)) return kind;
        }
        throw new IllegalArgumentException(
                constants.getName() + " has no constant Kind with the name \"" + name + "\"");
    }

    private static Object value(Field constant) {
        try {
            constant.setAccessible(true);
            return constant.get(null);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * The kind with what the annotation says.
     *
     * @param queue empty: it says nothing
     * @param timeout null: it says nothing
     * @throws IllegalArgumentException if the kind says something else
     */
    static Kind<?> withAttributes(Kind<?> kind, String queue, @Nullable Duration timeout, HandlerRetries retries) {
        String other = kind.queueOrNull();
        if (!queue.isEmpty() && other != null && !other.equals(queue))
            throw new IllegalArgumentException(
                    "its queue is " + queue + ", and that of its Kind " + kind.name() + " is " + other);
        Duration its = kind.timeoutOrNull();
        if (timeout != null && its != null && !its.equals(timeout))
            throw new IllegalArgumentException(
                    "its timeout is " + timeout + ", and that of its Kind " + kind.name() + " is " + its);
        if (retries.setsDelays() && kind.retriesOrNull() != null)
            throw new IllegalArgumentException("its annotation and its Kind " + kind.name()
                    + " have a retry policy each: leave attempts and backoff out");
        Kind<?> with = queue.isEmpty() ? kind : kind.queue(queue);
        return timeout == null ? with : with.timeout(timeout);
    }
}
