package dev.howdah.spring.internal.handler;

import dev.howdah.job.Job;
import dev.howdah.job.Kind;
import dev.howdah.spring.JobHandler;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.sql.Connection;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.annotation.ReflectiveProcessor;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** What a native image has to know of a handler: its method, and the type of its payload, which is read from JSON. */
public final class HandlerReflection implements ReflectiveProcessor {
    private final BindingReflectionHintsRegistrar payloads = new BindingReflectionHintsRegistrar();

    @Override
    public void registerReflectionHints(ReflectionHints hints, AnnotatedElement element) {
        if (!(element instanceof Method method)) return;
        hints.registerMethod(method, ExecutableMode.INVOKE);
        JobHandler marked = AnnotatedElementUtils.findMergedAnnotation(method, JobHandler.class);
        if (marked != null)
            for (Field each : marked.kinds().getDeclaredFields())
                if (Kind.class.isAssignableFrom(each.getType())) hints.registerField(each);
        for (Type each : method.getGenericParameterTypes())
            if (each != Job.class && each != Connection.class) payloads.registerReflectionHints(hints, each);
        if (method.getReturnType() != void.class)
            payloads.registerReflectionHints(hints, method.getGenericReturnType());
    }
}
