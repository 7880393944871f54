package dev.howdah.quarkus.deployment;

import io.quarkus.builder.item.MultiBuildItem;
import java.lang.reflect.Method;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.ClassInfo;

/** A method of a bean that handles jobs. */
final class FoundMethodBuildItem extends MultiBuildItem {
    private final Method method;
    private final String invoker;

    /** @param invoker name of the class that calls it */
    FoundMethodBuildItem(Method method, String invoker) {
        this.method = method;
        this.invoker = invoker;
    }

    Method method() {
        return method;
    }

    String invoker() {
        return invoker;
    }

    /** Returns whether a class has such methods. */
    static boolean isIn(AnnotationTarget target) {
        if (target.kind() != AnnotationTarget.Kind.CLASS) return false;
        ClassInfo type = target.asClass();
        return type.hasAnnotation(HowdahProcessor.JOB_HANDLER)
                || type.hasAnnotation(HowdahProcessor.JOB_SCHEDULE)
                || type.hasAnnotation(HowdahProcessor.JOB_SCHEDULES);
    }
}
