package dev.howdah.spring.internal.actuate;

import dev.howdah.job.Handler;
import dev.howdah.job.Job;
import dev.howdah.job.Outcome;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import org.jspecify.annotations.Nullable;

/** An observation around each attempt: a timer and, with Micrometer Tracing, a span of a consumer. */
public final class ObservedHandlers implements Handler.Interceptor {
    private final ObservationRegistry registry;

    public ObservedHandlers(ObservationRegistry registry) {
        this.registry = registry;
    }

    @Override
    public Outcome handle(@Nullable Object payload, Job job, Handler.Next next) throws Exception {
        // The context of the trace is that of this thread already: no header is asked for.
        Observation observation = Observation.createNotStarted("howdah.job.handler", this::consumer, registry)
                .contextualName("job " + job.kind())
                .lowCardinalityKeyValue("kind", job.kind())
                .lowCardinalityKeyValue("queue", job.queue())
                .highCardinalityKeyValue("id", Long.toString(job.id()))
                .highCardinalityKeyValue("attempt", Integer.toString(job.attempt()))
                .highCardinalityKeyValue("messaging.system", "howdah")
                .highCardinalityKeyValue("messaging.operation.name", "process")
                .highCardinalityKeyValue("messaging.operation.type", "process")
                .highCardinalityKeyValue("messaging.destination.name", job.queue())
                .highCardinalityKeyValue("messaging.message.id", Long.toString(job.id()));
        return observation.observeChecked(next::proceed);
    }

    private ReceiverContext<Object> consumer() {
        ReceiverContext<Object> context = new ReceiverContext<>((carrier, key) -> null, Kind.CONSUMER);
        context.setCarrier(this);
        return context;
    }
}
