package dev.howdah.quarkus.runtime;

import dev.howdah.beans.internal.node.ApplicationBeans;
import dev.howdah.job.Handler;
import dev.howdah.job.Job;
import dev.howdah.job.Outcome;
import io.quarkus.arc.Arc;
import io.quarkus.arc.InstanceHandle;
import io.quarkus.arc.ManagedContext;
import jakarta.enterprise.inject.Any;
import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The beans of Quarkus. */
enum ArcBeans implements ApplicationBeans {
    ALL;

    @Override
    public <T> List<T> all(Class<T> type) {
        List<T> found = new ArrayList<>();
        if (type == Handler.Interceptor.class) found.add(type.cast((Handler.Interceptor) ArcBeans::inRequest));
        Annotation any = Any.Literal.INSTANCE;
        try (Stream<InstanceHandle<T>> handles = Arc.container().listAll(type, any).stream()) {
            handles.map(InstanceHandle::get).forEach(found::add);
        }
        return found;
    }

    /** Beans of the scope of a request, the session of Hibernate among them, are there during an attempt. */
    private static Outcome inRequest(@Nullable Object payload, Job job, Handler.Next next) throws Exception {
        ManagedContext context = Arc.container().requestContext();
        if (context.isActive()) return next.proceed();
        context.activate();
        try {
            return next.proceed();
        } finally {
            context.terminate();
        }
    }
}
