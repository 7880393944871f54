package dev.howdah.beans.internal.handler;

import dev.howdah.beans.JobHandler;
import dev.howdah.beans.JobSchedule;
import dev.howdah.job.Kind;
import dev.howdah.job.Schedule;
import dev.howdah.spi.TypeReference;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the methods of beans that handle jobs; no two handle the same kind of a data source. For one thread. */
public final class BeanMethods {
    /** What a framework does with the texts of annotations. */
    public interface Texts {
        /** Returns a text with the values of its placeholders. */
        String resolve(String text);

        /** @throws RuntimeException if it is no time */
        Duration duration(String text);
    }

    private final Texts texts;
    private final List<? extends Kind<?>> declared;
    private final List<BeanMethod> all = new ArrayList<>();
    private final Map<String, BeanMethod> byKind = new HashMap<>();
    private final Set<String> schedules = new HashSet<>();

    /** @param declared the beans of the type {@code Kind} */
    public BeanMethods(Texts texts, List<? extends Kind<?>> declared) {
        this.texts = texts;
        this.declared = declared;
    }

    /** Those that have been read. */
    public List<BeanMethod> all() {
        return List.copyOf(all);
    }

    /**
     * Reads a method that has one of the annotations.
     *
     * @throws RefusedStart if it cannot handle jobs
     */
    public void read(Method method, BeanMethod.Call call) {
        String place = place(method);
        JobHandler marked = method.getAnnotation(JobHandler.class);
        if (marked == null)
            throw new RefusedStart(
                    place + " has a @JobSchedule and no @JobHandler: a schedule needs a kind.",
                    "Add @JobHandler(\"" + method.getName() + "\").");
        HandlerSignature signature = HandlerSignature.of(method, place, marked.transactional());
        BeanMethod read;
        try {
            read = read(method, call, place, marked, signature);
        } catch (IllegalArgumentException e) {
            throw new RefusedStart(place + " cannot handle jobs: " + e.getMessage() + ".", "Change its annotation.", e);
        }
        BeanMethod other =
                byKind.putIfAbsent(read.dataSource() + " " + read.kind().name(), read);
        if (other != null)
            throw new RefusedStart(
                    "The kind \"" + read.kind().name() + "\" has two handlers: " + other.place() + " and "
                            + read.place() + ".",
                    "Give one of them another kind.");
        for (Schedule each : read.schedules())
            if (!schedules.add(read.dataSource() + " " + each.name()))
                throw new RefusedStart(
                        place + ": there are two schedules named \"" + each.name() + "\".",
                        "Name each: @JobSchedule(name = ..., cron = ...).");
        all.add(read);
    }

    /** Returns whether its annotations have placeholders, so that it can be read only when the application starts. */
    public static boolean hasPlaceholders(Method method) {
        JobHandler marked = method.getAnnotation(JobHandler.class);
        Stream<String> own = marked == null
                ? Stream.of()
                : Stream.of(marked.value(), marked.dataSource(), marked.queue(), marked.timeout());
        Stream<String> ofSchedules = Stream.of(method.getAnnotationsByType(JobSchedule.class))
                .flatMap(each -> Stream.of(each.cron(), each.zone(), each.every(), each.name()));
        return Stream.concat(own, ofSchedules).anyMatch(each -> each.contains("$"));
    }

    private BeanMethod read(
            Method method, BeanMethod.Call call, String place, JobHandler marked, HandlerSignature signature) {
        Kind<?> kind = kind(texts.resolve(marked.value()), signature.payload());
        String queue = texts.resolve(marked.queue());
        if (!queue.isEmpty()) kind = kind.queue(queue);
        if (marked.attempts() < 0 || marked.limit() < 0)
            throw new IllegalArgumentException("attempts and limit are 1 or more; 0 is as the defaults say, not "
                    + Math.min(marked.attempts(), marked.limit()));
        Duration timeout = duration(marked.timeout());
        if (timeout != null) kind = kind.timeout(timeout);
        List<Schedule> its = new ArrayList<>();
        List<String> removed = new ArrayList<>();
        for (JobSchedule each : method.getAnnotationsByType(JobSchedule.class)) {
            if (signature.payload() != Void.class)
                throw new IllegalArgumentException(
                        "a handler with a @JobSchedule has no parameter for a payload: its schedule has none to give");
            String name = each.name().isEmpty() ? kind.name() : texts.resolve(each.name());
            Schedule schedule = schedule(each, name);
            if (schedule == null) removed.add(name);
            else its.add(schedule);
        }
        return new BeanMethod(
                place,
                call,
                kind,
                texts.resolve(marked.dataSource()),
                signature.payload(),
                signature.roles(),
                marked,
                timeout,
                its,
                removed);
    }

    /** The application's bean of that name, with its queue, retries and timeout; one without these if there is none. */
    private Kind<?> kind(String name, Type payload) {
        for (Kind<?> each : declared) {
            if (!each.name().equals(name)) continue;
            if (!each.type().equals(payload))
                throw new IllegalArgumentException("its payload is " + payload.getTypeName() + ", and that of the bean "
                        + each + " is another one");
            return each;
        }
        return payload instanceof Class<?> plain ? Kind.of(name, plain) : Kind.of(name, TypeReference.of(payload));
    }

    /** Null: it is switched off. */
    private @Nullable Schedule schedule(JobSchedule marked, String name) {
        String cron = texts.resolve(marked.cron());
        Duration every = duration(marked.every());
        if (cron.isEmpty() == (every == null))
            throw new IllegalArgumentException("the schedule " + name + " needs one of cron and every");
        if (cron.equals("-")) return null;
        Schedule schedule = every == null ? Schedule.cron(name, cron) : Schedule.every(name, every);
        if (every == null) schedule = schedule.zone(texts.resolve(marked.zone()));
        return schedule.overlap(marked.overlap()).missed(marked.missed());
    }

    private @Nullable Duration duration(String text) {
        String value = texts.resolve(text);
        if (value.isEmpty()) return null;
        try {
            return texts.duration(value);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException("\"" + value + "\" is no time such as 30s, 5m or PT1H", e);
        }
    }

    private static String place(Method method) {
        return Stream.of(method.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(
                        ", ",
                        "Method " + method.getDeclaringClass().getSimpleName() + "." + method.getName() + "(",
                        ")"));
    }
}
