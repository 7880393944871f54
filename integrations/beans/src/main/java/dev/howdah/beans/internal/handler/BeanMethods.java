package dev.howdah.beans.internal.handler;

import dev.howdah.beans.JobHandler;
import dev.howdah.beans.JobSchedule;
import dev.howdah.job.HandlerOptions;
import dev.howdah.job.Kind;
import dev.howdah.job.Schedule;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
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

    private static final Duration LONGEST_BACKOFF = Duration.ofHours(1);

    private final Texts texts;
    private final DeclaredKinds declared;
    private final List<BeanMethod> all = new ArrayList<>();
    private final Map<String, BeanMethod> byKind = new HashMap<>();
    private final Set<String> schedules = new HashSet<>();

    /** @param declared the beans of the type {@code Kind} */
    public BeanMethods(Texts texts, List<? extends Kind<?>> declared) {
        this.texts = texts;
        this.declared = new DeclaredKinds(declared);
    }

    /** Those that have been read. */
    public List<BeanMethod> all() {
        return List.copyOf(all);
    }

    /**
     * A method with its annotations, as a framework has found them.
     *
     * @param bean the class of the bean
     * @param handler null: it has none
     * @param types what a type is in the class of the bean
     */
    public record Marked(
            Method method,
            Class<?> bean,
            @Nullable JobHandler handler,
            List<JobSchedule> schedules,
            UnaryOperator<Type> types) {}

    /**
     * Reads a method that has one of the annotations itself.
     *
     * @throws RefusedStart if it cannot handle jobs
     */
    public void read(Method method, BeanMethod.Call call) {
        Class<?> bean = method.getDeclaringClass();
        Marked marked = new Marked(
                method,
                bean,
                method.getAnnotation(JobHandler.class),
                List.of(method.getAnnotationsByType(JobSchedule.class)),
                type -> type);
        if (marked.handler() != null) HandlerSignature.checkCallable(method, place(bean, method));
        read(marked, call);
    }

    /**
     * Reads a method.
     *
     * @throws RefusedStart if it cannot handle jobs
     */
    public BeanMethod read(Marked marked, BeanMethod.Call call) {
        String place = place(marked.bean(), marked.method());
        JobHandler handler = marked.handler();
        if (handler == null)
            throw new RefusedStart(
                    place + " has a @JobSchedule and no @JobHandler: a schedule needs a kind.",
                    "Add @JobHandler(\"" + marked.method().getName() + "\").");
        HandlerSignature signature =
                HandlerSignature.of(marked.method(), place, handler.transactional(), marked.types());
        BeanMethod read;
        try {
            read = read(place, call, handler, marked.schedules(), signature);
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
        return read;
    }

    /** Returns whether its annotations have placeholders, so that it can be read only when the application starts. */
    public static boolean hasPlaceholders(Method method) {
        return Stream.of(method.getAnnotations())
                .anyMatch(each -> each.toString().contains("${"));
    }

    private BeanMethod read(
            String place,
            BeanMethod.Call call,
            JobHandler marked,
            List<JobSchedule> times,
            HandlerSignature signature) {
        if (marked.limit() < 0)
            throw new IllegalArgumentException(
                    "a limit is 1 or more; 0 leaves that of the database, not " + marked.limit());
        Duration timeout = duration(marked.timeout());
        HandlerRetries retries = new HandlerRetries(
                marked.attempts(),
                duration(marked.backoff()),
                Objects.requireNonNullElse(duration(marked.longestBackoff()), LONGEST_BACKOFF),
                List.of(marked.noRetryFor()));
        Kind<?> kind = declared.find(texts.resolve(marked.value()), marked.kinds(), signature.payload());
        kind = DeclaredKinds.withAttributes(kind, texts.resolve(marked.queue()), timeout, retries);
        if (marked.formerly().length > 0) kind = kind.formerly(resolved(marked.formerly()));
        if (marked.priority() != 0) kind = kind.priority(marked.priority());
        if (marked.tags().length > 0) kind = kind.tags(resolved(marked.tags()));
        List<Schedule> its = new ArrayList<>();
        List<String> removed = new ArrayList<>();
        for (JobSchedule each : times) {
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
                marked.transactional(),
                retries,
                options(marked, timeout),
                marked.limit(),
                its,
                removed);
    }

    private Consumer<HandlerOptions> options(JobHandler marked, @Nullable Duration timeout) {
        String version = texts.resolve(marked.version());
        String[] earlier = resolved(marked.alsoRuns());
        return options -> {
            if (timeout != null) options.timeout(timeout);
            if (!version.isEmpty()) options.handlerVersion(version);
            if (earlier.length > 0) options.alsoRuns(earlier);
        };
    }

    private String[] resolved(String[] all) {
        return Stream.of(all).map(texts::resolve).toArray(String[]::new);
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
        Duration jitter = duration(marked.jitter());
        Duration catchUp = duration(marked.catchUp());
        String calendar = texts.resolve(marked.calendar());
        if (jitter != null) schedule = schedule.jitter(jitter);
        if (catchUp != null) schedule = schedule.catchUp(catchUp);
        if (!calendar.isEmpty()) schedule = schedule.calendar(calendar);
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

    /** What messages call it. */
    public static String place(Class<?> bean, Method method) {
        return Stream.of(method.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(
                        Collectors.joining(", ", "Method " + bean.getSimpleName() + "." + method.getName() + "(", ")"));
    }
}
