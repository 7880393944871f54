package dev.howdah.spring.internal.actuate;

import dev.howdah.job.Handler;
import dev.howdah.job.Job;
import dev.howdah.job.Outcome;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/** An observation around each attempt: a timer and, with Micrometer Tracing, a span. */
public final class ObservedHandlers implements Handler.Interceptor {
    private final ObservationRegistry registry;

    public ObservedHandlers(ObservationRegistry registry) {
        this.registry = registry;
    }

    @Override
    public Outcome handle(@Nullable Object payload, Job job, Handler.Next next) throws Exception {
        Observation observation = Observation.createNotStarted("howdah.job.handler", registry)
                .contextualName("job " + job.kind())
                .lowCardinalityKeyValue("kind", job.kind())
                .lowCardinalityKeyValue("queue", job.queue())
                .highCardinalityKeyValue("id", Long.toString(job.id()))
                .highCardinalityKeyValue("attempt", Integer.toString(job.attempt()));
        return observation.observeChecked(next::proceed);
    }
}
