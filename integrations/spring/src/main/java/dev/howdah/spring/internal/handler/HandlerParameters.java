package dev.howdah.spring.internal.handler;

import dev.howdah.job.Job;
import dev.howdah.spring.internal.failure.StartFailure;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import org.springframework.core.GenericTypeResolver;
import org.springframework.util.ClassUtils;

/**
 * The parameters of a handler's method.
 *
 * @param payload the type of the payload; {@code Void} if it takes none
 */
record HandlerParameters(List<HandlerMethod.Parameter> all, Type payload) {
    /** Types that are returned before the work is done. Names, since not all are on the class path. */
    private static final Set<String> LATE = Set.of(
            "java.util.concurrent.CompletionStage",
            "org.reactivestreams.Publisher",
            "java.util.concurrent.Flow$Publisher");

    private static final String SUSPENDED = "kotlin.coroutines.Continuation";
    private static final String RIGHT =
            "Give it one parameter for the payload, or none, and if needed a dev.howdah.job.Job.";

    /** @throws StartFailure if it cannot be a handler's */
    static HandlerParameters of(Method method, Class<?> bean, String place, boolean transactional) {
        checkReturned(method, place);
        List<HandlerMethod.Parameter> all = new ArrayList<>();
        Type payload = Void.class;
        for (Type given : method.getGenericParameterTypes()) {
            Type type = GenericTypeResolver.resolveType(given, bean);
            HandlerMethod.Parameter role = role(type);
            if (all.contains(role))
                throw new StartFailure(
                        place + " has two parameters for the " + role.name().toLowerCase(java.util.Locale.ROOT)
                                + ": a handler gets one.",
                        RIGHT);
            if (role == HandlerMethod.Parameter.CONNECTION && !transactional)
                throw new StartFailure(
                        place + " has a parameter of the type java.sql.Connection and is not transactional: it has no"
                                + " transaction whose connection it could get.",
                        "Write @JobHandler(value = ..., transactional = true), or remove the parameter.");
            if (role == HandlerMethod.Parameter.PAYLOAD) payload = payload(type, place);
            all.add(role);
        }
        return new HandlerParameters(List.copyOf(all), payload);
    }

    private static void checkReturned(Method method, String place) {
        Class<?> returned = method.getReturnType();
        boolean late = Future.class.isAssignableFrom(returned)
                || ClassUtils.getAllInterfacesForClassAsSet(returned).stream()
                        .anyMatch(each -> LATE.contains(each.getName()))
                || LATE.contains(returned.getName());
        boolean suspended = List.of(method.getParameterTypes()).stream()
                .anyMatch(each -> each.getName().equals(SUSPENDED));
        if (late || suspended)
            throw new StartFailure(
                    place + (suspended ? " is a suspending function" : " returns a " + returned.getName())
                            + ": its job would be done before its work is.",
                    suspended
                            ? "Register it by a bean JobsCustomizer, with handlers { handle(kind) { ... } } of howdah-kotlin."
                            : "Let it return when the work is done; a handler has a thread of its own.");
    }

    private static HandlerMethod.Parameter role(Type type) {
        if (type == Job.class) return HandlerMethod.Parameter.JOB;
        if (type == Connection.class) return HandlerMethod.Parameter.CONNECTION;
        return HandlerMethod.Parameter.PAYLOAD;
    }

    private static Type payload(Type type, String place) {
        if (type == void.class || type instanceof WildcardType || !isKnown(type))
            throw new StartFailure(
                    place + " has a parameter whose type " + type.getTypeName() + " is not known at run time.", RIGHT);
        if (type instanceof Class<?> plain && plain.getName().startsWith("dev.howdah.job."))
            throw new StartFailure(
                    place + " has a parameter of the type " + plain.getName() + ", which no payload can have.", RIGHT);
        return type instanceof Class<?> plain ? ClassUtils.resolvePrimitiveIfNecessary(plain) : type;
    }

    private static boolean isKnown(Type type) {
        return !(type instanceof java.lang.reflect.TypeVariable<?>);
    }
}
