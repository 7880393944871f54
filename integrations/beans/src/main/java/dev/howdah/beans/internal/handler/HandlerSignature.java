package dev.howdah.beans.internal.handler;

import dev.howdah.job.Job;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * What each parameter of a handler's method gets.
 *
 * @param payload the type of the payload; {@code Void} if it takes none
 */
record HandlerSignature(List<Role> roles, Type payload) {
    /** What a parameter gets. */
    enum Role {
        PAYLOAD,
        JOB,
        CONNECTION
    }

    /** Types that are returned before the work is done. Names, since not all are on the class path. */
    private static final Set<String> LATE = Set.of(
            "java.util.concurrent.CompletionStage",
            "java.util.concurrent.Future",
            "java.util.concurrent.Flow$Publisher",
            "org.reactivestreams.Publisher",
            "io.smallrye.mutiny.Uni");

    private static final String SUSPENDED = "kotlin.coroutines.Continuation";
    private static final String RIGHT =
            "Give it one parameter for the payload, or none, and if needed a dev.howdah.job.Job.";

    /** @throws RefusedStart if a framework cannot call it by itself */
    static void checkCallable(Method method, String place) {
        if (Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers()))
            throw new RefusedStart(
                    place + " is " + (Modifier.isStatic(method.getModifiers()) ? "static" : "private")
                            + ", and the bean cannot be asked to run it.",
                    "Make it a package-private or public method of the bean.");
    }

    /**
     * Reads the parameters.
     *
     * @param types what a type is in the class of the bean
     * @throws RefusedStart if it cannot be a handler's
     */
    static HandlerSignature of(Method method, String place, boolean transactional, UnaryOperator<Type> types) {
        checkReturned(method, place);
        List<Role> roles = new ArrayList<>();
        Type payload = Void.class;
        for (Type given : method.getGenericParameterTypes()) {
            Type type = types.apply(given);
            Role role = type == Job.class ? Role.JOB : type == Connection.class ? Role.CONNECTION : Role.PAYLOAD;
            if (roles.contains(role))
                throw new RefusedStart(
                        place + " has two parameters for the " + role.name().toLowerCase(Locale.ROOT)
                                + ": a handler gets one.",
                        RIGHT);
            if (role == Role.CONNECTION && !transactional)
                throw new RefusedStart(
                        place + " has a parameter of the type java.sql.Connection and is not transactional: it has no"
                                + " transaction whose connection it could get.",
                        "Write @JobHandler(value = ..., transactional = true), or remove the parameter.");
            if (role == Role.PAYLOAD) payload = payload(type, place);
            roles.add(role);
        }
        return new HandlerSignature(List.copyOf(roles), payload);
    }

    private static void checkReturned(Method method, String place) {
        Class<?> returned = method.getReturnType();
        boolean suspended = Stream.of(method.getParameterTypes())
                .anyMatch(each -> each.getName().equals(SUSPENDED));
        if (suspended || isLate(returned))
            throw new RefusedStart(
                    place + (suspended ? " is a suspending function" : " returns a " + returned.getName())
                            + ": its job would be done before its work is.",
                    suspended
                            ? "Register it by a bean JobsCustomizer, with handlers { handle(kind) { ... } } of howdah-kotlin."
                            : "Let it return when the work is done; a handler has a thread of its own.");
    }

    private static boolean isLate(Class<?> type) {
        return LATE.contains(type.getName())
                || Stream.of(type.getInterfaces()).anyMatch(HandlerSignature::isLate)
                || type.getSuperclass() != null && isLate(type.getSuperclass());
    }

    private static Type payload(Type type, String place) {
        if (type instanceof WildcardType || type instanceof TypeVariable<?>)
            throw new RefusedStart(
                    place + " has a parameter whose type " + type.getTypeName() + " is not known at run time.", RIGHT);
        if (!(type instanceof Class<?> plain)) return type;
        if (plain.getName().startsWith("dev.howdah.job."))
            throw new RefusedStart(
                    place + " has a parameter of the type " + plain.getName() + ", which no payload can have.", RIGHT);
        return java.lang.invoke.MethodType.methodType(plain).wrap().returnType();
    }
}
