package dev.howdah.spring.internal.handler;

import dev.howdah.job.Kind;
import dev.howdah.job.Schedule;
import dev.howdah.spring.HowdahInstallation;
import dev.howdah.spring.JobHandler;
import dev.howdah.spring.JobSchedule;
import dev.howdah.spring.internal.failure.StartFailure;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ReflectionUtils;

/** Finds the methods of an application's beans that handle jobs. */
public final class HandlerMethods {
    private static final Duration LONGEST_BACKOFF = Duration.ofHours(1);

    private final ConfigurableListableBeanFactory beans;
    private final DeclaredKinds kinds;

    public HandlerMethods(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
        this.kinds = new DeclaredKinds(beans);
    }

    /**
     * Finds all, without making a bean that is not there yet.
     *
     * @throws StartFailure if one cannot be a handler, or two handle the same kind
     */
    public List<HandlerMethod> find() {
        Map<String, HandlerMethod> byKind = new LinkedHashMap<>();
        Set<String> schedules = new HashSet<>();
        for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type = type(name);
            if (type == null || !AnnotationUtils.isCandidateClass(type, List.of(JobHandler.class, JobSchedule.class)))
                continue;
            for (Method method : MethodIntrospector.selectMethods(
                    type, (org.springframework.util.ReflectionUtils.MethodFilter) HandlerMethods::isMarked)) {
                HandlerMethod found = handler(name, type, method);
                HandlerMethod other = byKind.putIfAbsent(
                        found.installation() + '\n' + found.kind().name(), found);
                if (other != null)
                    throw new StartFailure(
                            "The kind \"" + found.kind().name() + "\" has two handlers: " + other.place() + " and "
                                    + found.place() + ".",
                            "Give one of them another kind.");
                for (Schedule each : found.schedules())
                    if (!schedules.add(found.installation() + '\n' + each.name()))
                        throw new StartFailure(
                                found.place() + ": there are two schedules named \"" + each.name() + "\".",
                                "Name each: @JobSchedule(name = ..., cron = ...).");
            }
        }
        return List.copyOf(byKind.values());
    }

    private @Nullable Class<?> type(String bean) {
        if (ScopedProxyUtils.isScopedTarget(bean)) return null;
        try {
            return AutoProxyUtils.determineTargetClass(beans, bean);
        } catch (RuntimeException | LinkageError e) {
            return null; // a bean whose class cannot be told has no methods to be found, as for Spring's own
            // annotations
        }
    }

    private static boolean isMarked(Method method) {
        return AnnotatedElementUtils.hasAnnotation(method, JobHandler.class)
                || !AnnotatedElementUtils.getMergedRepeatableAnnotations(method, JobSchedule.class)
                        .isEmpty();
    }

    private HandlerMethod handler(String bean, Class<?> type, Method method) {
        String place = place(type, method);
        JobHandler marked = AnnotatedElementUtils.findMergedAnnotation(method, JobHandler.class);
        if (marked == null)
            throw new StartFailure(
                    place + " has a @JobSchedule and no @JobHandler: a schedule needs a kind.",
                    "Add @JobHandler(\"" + method.getName() + "\").");
        HandlerParameters parameters = HandlerParameters.of(method, type, place, marked.transactional());
        boolean hasPayload = parameters.payload() != Void.class;
        try {
            if (marked.limit() < 0)
                throw new IllegalArgumentException(
                        "a limit is 1 or more; 0 leaves that of the database, not " + marked.limit());
            Duration timeout = duration(marked.timeout());
            HandlerRetries retries = new HandlerRetries(
                    marked.attempts(),
                    duration(marked.backoff()),
                    Objects.requireNonNullElse(duration(marked.longestBackoff()), LONGEST_BACKOFF),
                    List.of(marked.noRetryFor()));
            Kind<?> kind = kinds.find(resolved(marked.value()), marked.kinds(), parameters.payload());
            kind = DeclaredKinds.withAttributes(kind, resolved(marked.queue()), timeout, retries);
            List<Schedule> schedules = new ArrayList<>();
            List<String> removed = new ArrayList<>();
            for (JobSchedule each : AnnotatedElementUtils.getMergedRepeatableAnnotations(method, JobSchedule.class)) {
                if (hasPayload)
                    throw new IllegalArgumentException(
                            "a handler with a @JobSchedule has no parameter for a payload: its schedule has none to give");
                String name = each.name().isEmpty() ? kind.name() : resolved(each.name());
                Schedule schedule = schedule(each, name);
                if (schedule == null) removed.add(name);
                else schedules.add(schedule);
            }
            return new HandlerMethod(
                    place,
                    installation(marked),
                    bean(bean),
                    callable(bean, method, place),
                    kind,
                    HandlerMethod.withoutPayload(kind).queue(),
                    parameters.all(),
                    marked.transactional(),
                    retries,
                    timeout,
                    marked.limit(),
                    schedules,
                    removed);
        } catch (IllegalArgumentException e) {
            throw new StartFailure(place + " cannot handle jobs: " + e.getMessage() + ".", "Change its annotation.", e);
        }
    }

    private String installation(JobHandler marked) {
        String name = resolved(marked.installation());
        if (!name.isEmpty()
                && !List.of(beans.getBeanNamesForType(HowdahInstallation.class)).contains(name))
            throw new IllegalArgumentException("there is no bean HowdahInstallation with the name " + name);
        return name;
    }

    /** Null: it is switched off. */
    private @Nullable Schedule schedule(JobSchedule marked, String name) {
        String cron = resolved(marked.cron());
        Duration every = duration(marked.every());
        if (cron.isEmpty() == (every == null))
            throw new IllegalArgumentException("the schedule " + name + " needs one of cron and every");
        if (cron.equals("-")) return null;
        Schedule schedule = every == null ? Schedule.cron(name, cron) : Schedule.every(name, every);
        if (every == null) schedule = schedule.zone(resolved(marked.zone()));
        Duration jitter = duration(marked.jitter());
        Duration catchUp = duration(marked.catchUp());
        String calendar = resolved(marked.calendar());
        if (jitter != null) schedule = schedule.jitter(jitter);
        if (catchUp != null) schedule = schedule.catchUp(catchUp);
        if (!calendar.isEmpty()) schedule = schedule.calendar(calendar);
        return schedule.overlap(marked.overlap()).missed(marked.missed());
    }

    private Supplier<Object> bean(String name) {
        return () -> beans.getBean(name);
    }

    private Method callable(String bean, Method method, String place) {
        Class<?> exposed = beans.getType(bean, false);
        Method callable;
        try {
            callable = exposed == null ? method : AopUtils.selectInvocableMethod(method, exposed);
        } catch (IllegalStateException e) {
            throw new StartFailure(
                    place + " cannot be called through the proxy of its bean: " + e.getMessage(),
                    "Make it public and put it into an interface of the bean, or let Spring proxy classes"
                            + " (spring.aop.proxy-target-class=true).",
                    e);
        }
        if (!Modifier.isPublic(callable.getModifiers())
                && exposed != null
                && exposed != method.getDeclaringClass()
                && Modifier.isPrivate(callable.getModifiers()))
            throw new StartFailure(
                    place + " is private, and its bean is a proxy.", "Make it package-private or public.");
        ReflectionUtils.makeAccessible(callable);
        return callable;
    }

    private @Nullable Duration duration(String text) {
        String value = resolved(text);
        if (value.isEmpty()) return null;
        try {
            return DurationStyle.detectAndParse(value);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("\"" + value + "\" is no time such as 30s, 5m or PT1H", e);
        }
    }

    private String resolved(String text) {
        return Objects.requireNonNullElse(beans.resolveEmbeddedValue(text), "");
    }

    private static String place(Class<?> type, Method method) {
        StringBuilder place = new StringBuilder("Method ")
                .append(type.getSimpleName())
                .append('.')
                .append(method.getName())
                .append('(');
        for (Class<?> each : method.getParameterTypes()) {
            if (place.charAt(place.length() - 1) != '(') place.append(", ");
            place.append(each.getSimpleName());
        }
        return place.append(')').toString();
    }
}
