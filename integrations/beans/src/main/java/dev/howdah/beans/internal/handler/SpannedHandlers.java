package dev.howdah.beans.internal.handler;

import dev.howdah.job.Handler;
import dev.howdah.job.Job;
import dev.howdah.job.Outcome;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import org.jspecify.annotations.Nullable;

/**
 * A span around each attempt, within the context in which the job was added, with the attributes that OpenTelemetry has for messages. Loaded only
 * where its API is there.
 */
public final class SpannedHandlers implements Handler.Interceptor {
    private final Tracer tracer;

    public SpannedHandlers(OpenTelemetry telemetry) {
        this.tracer = telemetry.getTracer("dev.howdah");
    }

    @Override
    public Outcome handle(@Nullable Object payload, Job job, Handler.Next next) throws Exception {
        Span span = tracer.spanBuilder("job " + job.kind())
                .setSpanKind(SpanKind.CONSUMER)
                .setAttribute("messaging.system", "howdah")
                .setAttribute("messaging.operation.type", "process")
                .setAttribute("messaging.operation.name", "process")
                .setAttribute("messaging.destination.name", job.queue())
                .setAttribute("messaging.message.id", Long.toString(job.id()))
                .setAttribute("howdah.job.kind", job.kind())
                .setAttribute("howdah.job.attempt", job.attempt())
                .startSpan();
        try (Scope scope = span.makeCurrent()) {
            return next.proceed();
        } catch (Throwable e) {
            // Messages may have data of users.
            span.setAttribute("error.type", e.getClass().getName()).setStatus(StatusCode.ERROR);
            throw e;
        } finally {
            span.end();
        }
    }
}
