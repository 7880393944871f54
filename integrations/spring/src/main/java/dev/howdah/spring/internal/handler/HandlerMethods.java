package dev.howdah.spring.internal.handler;

import dev.howdah.beans.internal.handler.BeanMethod;
import dev.howdah.beans.internal.handler.BeanMethods;
import dev.howdah.beans.internal.handler.RefusedStart;
import dev.howdah.job.Kind;
import dev.howdah.spring.HowdahInstallation;
import dev.howdah.spring.JobHandler;
import dev.howdah.spring.JobSchedule;
import java.lang.annotation.Annotation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ReflectionUtils;

/** Finds the methods of an application's beans that handle jobs. */
public final class HandlerMethods implements BeanMethods.Texts {
    private final ConfigurableListableBeanFactory beans;

    public HandlerMethods(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /**
     * Finds all, without making a bean that is not there yet.
     *
     * @throws RefusedStart if one cannot be a handler, or two handle the same kind
     */
    public List<BeanMethod> find() {
        List<Kind<?>> declared = new ArrayList<>();
        for (Kind<?> each : beans.getBeansOfType(Kind.class, true, false).values()) declared.add(each);
        BeanMethods methods = new BeanMethods(this, declared);
        for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type = type(name);
            if (type == null || !AnnotationUtils.isCandidateClass(type, List.of(JobHandler.class, JobSchedule.class)))
                continue;
            for (Method method :
                    MethodIntrospector.selectMethods(type, (ReflectionUtils.MethodFilter) HandlerMethods::isMarked))
                read(name, type, method, methods);
        }
        return methods.all();
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

    private void read(String bean, Class<?> type, Method method, BeanMethods methods) {
        JobHandler marked = AnnotatedElementUtils.findMergedAnnotation(method, JobHandler.class);
        List<dev.howdah.beans.JobSchedule> schedules =
                AnnotatedElementUtils.getMergedRepeatableAnnotations(method, JobSchedule.class).stream()
                        .map(each ->
                                as(dev.howdah.beans.JobSchedule.class, AnnotationUtils.getAnnotationAttributes(each)))
                        .toList();
        Method callable = marked == null ? method : callable(bean, type, method);
        BeanMethod read = methods.read(
                new BeanMethods.Marked(
                        method,
                        type,
                        handler(marked),
                        schedules,
                        given -> GenericTypeResolver.resolveType(given, type)),
                values -> invoke(callable, beans.getBean(bean), values));
        if (!read.dataSource().isEmpty()
                && !List.of(beans.getBeanNamesForType(HowdahInstallation.class)).contains(read.dataSource()))
            throw new RefusedStart(
                    read.place() + " cannot handle jobs: there is no bean HowdahInstallation with the name "
                            + read.dataSource() + ".",
                    "Change its annotation.");
    }

    /** The annotation of all frameworks; what is an installation in Spring is a data source in others. */
    private static dev.howdah.beans.@Nullable JobHandler handler(@Nullable JobHandler marked) {
        if (marked == null) return null;
        Map<String, @Nullable Object> attributes = new LinkedHashMap<>(AnnotationUtils.getAnnotationAttributes(marked));
        attributes.put("dataSource", attributes.remove("installation"));
        return as(dev.howdah.beans.JobHandler.class, attributes);
    }

    private static <A extends Annotation> A as(Class<A> type, Map<String, @Nullable Object> attributes) {
        return MergedAnnotation.of(type, attributes).synthesize();
    }

    private static @Nullable Object invoke(Method method, Object bean, @Nullable Object[] values) throws Exception {
        try {
            return method.invoke(bean, values);
        } catch (InvocationTargetException e) {
            Throwable thrown = e.getCause();
            if (thrown instanceof Exception exception) throw exception;
            if (thrown instanceof Error error) throw error;
            throw e;
        }
    }

    private Method callable(String bean, Class<?> type, Method method) {
        String place = BeanMethods.place(type, method);
        Class<?> exposed = beans.getType(bean, false);
        Method callable;
        try {
            callable = exposed == null ? method : AopUtils.selectInvocableMethod(method, exposed);
        } catch (IllegalStateException e) {
            throw new RefusedStart(
                    place + " cannot be called through the proxy of its bean: " + e.getMessage(),
                    "Make it public and put it into an interface of the bean, or let Spring proxy classes"
                            + " (spring.aop.proxy-target-class=true).",
                    e);
        }
        if (!Modifier.isPublic(callable.getModifiers())
                && exposed != null
                && exposed != method.getDeclaringClass()
                && Modifier.isPrivate(callable.getModifiers()))
            throw new RefusedStart(
                    place + " is private, and its bean is a proxy.", "Make it package-private or public.");
        ReflectionUtils.makeAccessible(callable);
        return callable;
    }

    @Override
    public Duration duration(String text) {
        return DurationStyle.detectAndParse(text);
    }

    @Override
    public String resolve(String text) {
        return Objects.requireNonNullElse(beans.resolveEmbeddedValue(text), "");
    }
}
