package dev.howdah.job.internal.handler;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.job.Handler;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Outcome;
import dev.howdah.job.wait.JobSuspended;
import dev.howdah.spi.PayloadCodec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The handlers of a program and the queues that they claim from, as they are registered. Not safe for use by many threads. */
public final class HandlerRegistry {
    private static final Logger log = LoggerFactory.getLogger(HandlerRegistry.class);

    private final Map<String, Supplier<HandlerRegistration<?>>> handlers = new LinkedHashMap<>();
    private final List<Handler.Interceptor> interceptors = new ArrayList<>();
    private final Set<String> pipelines = new LinkedHashSet<>();
    private final Set<String> queues = new LinkedHashSet<>();
    private final Set<String> kindQueues = new LinkedHashSet<>();
    /** Whether there is a handler of a kind that names no queue. */
    private boolean withoutQueue;

    /**
     * Registers the handler of a kind.
     *
     * @param queue the one that the kind names; null: it names none
     * @param handler asked at the start, when all defaults are known
     * @throws IllegalArgumentException if the kind has a handler already
     */
    public void register(String kind, @Nullable String queue, Supplier<HandlerRegistration<?>> handler) {
        if (handlers.putIfAbsent(kind, handler) != null)
            throw new IllegalArgumentException("the kind " + kind + " has a handler already");
        if (queue != null) kindQueues.add(queue);
        withoutQueue |= queue == null;
    }

    /** Adds an interceptor around all handlers; the first that is added is the outermost. */
    public void intercept(Handler.Interceptor interceptor) {
        interceptors.add(Objects.requireNonNull(interceptor, "an interceptor is needed, not null"));
    }

    /** Claims from the queue of a pipeline. */
    public void pipeline(String name) {
        pipelines.add(name);
    }

    /** Claims from that queue. */
    public void queue(String name) {
        queues.add(name);
    }

    /** The handler with all interceptors around it. */
    public <T> HandlerRegistration.Body<T> intercepted(HandlerRegistration.Body<T> body) {
        HandlerRegistration.Body<T> all = suspending(body);
        for (int i = interceptors.size() - 1; i >= 0; i--) {
            Handler.Interceptor interceptor = interceptors.get(i);
            HandlerRegistration.Body<T> inner = all;
            all = (payload, job, connection) ->
                    interceptor.handle(payload, job, () -> inner.run(payload, job, connection));
        }
        return all;
    }

    /** That a handler waits is an answer, whatever it has made of the throwable that says so. */
    private static <T> HandlerRegistration.Body<T> suspending(HandlerRegistration.Body<T> body) {
        return (payload, job, connection) -> {
            try {
                Outcome outcome = body.run(payload, job, connection);
                return job.suspending() ? Outcome.Suspended.SUSPENDED : outcome;
            } catch (Throwable e) {
                if (!job.suspending()) throw e;
                if (!(e instanceof JobSuspended))
                    log.warn(
                            "the handler of job {} ({}) waits, and has thrown something else, which is left out: {}",
                            job.id(),
                            job.kind(),
                            ErrorText.line(e));
                return Outcome.Suspended.SUSPENDED;
            }
        };
    }

    /** Returns whether there is no handler. */
    public boolean isEmpty() {
        return handlers.isEmpty();
    }

    /** The handlers by kind. */
    public Map<String, HandlerRegistration<?>> handlers() {
        Map<String, HandlerRegistration<?>> all = new LinkedHashMap<>();
        handlers.forEach((kind, handler) -> all.put(kind, handler.get()));
        return all;
    }

    /** Loads what the payload of the first job of each kind needs. */
    public Runnable preparation(PayloadCodec codec) {
        List<Kind<?>> kinds = new ArrayList<>();
        for (HandlerRegistration<?> each : handlers().values())
            if (each.kind().type() != Void.class) kinds.add(each.kind());
        return () -> {
            for (Kind<?> each : kinds) {
                try {
                    codec.prepare(each.type());
                } catch (RuntimeException | LinkageError e) {
                    log.debug("payloads of {} are not prepared: {}", each.name(), ErrorText.line(e));
                }
            }
        };
    }

    /** Returns whether a handler runs in its job's own transaction. */
    public boolean hasTransactional() {
        return handlers().values().stream().anyMatch(HandlerRegistration::transactional);
    }

    /** The queues to claim from. */
    public Set<String> queueNames() {
        Set<String> names = new LinkedHashSet<>(queues);
        names.addAll(pipelines);
        boolean isOpen = names.isEmpty();
        names.addAll(kindQueues);
        if (isOpen && withoutQueue || names.isEmpty()) names.add(NewJob.DEFAULT_QUEUE);
        return Set.copyOf(names);
    }
}
