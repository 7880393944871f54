package dev.howdah.process.internal.step;

import dev.howdah.internal.trace.Tracing;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The spans of requests to processes and of their steps. */
public final class ProcessTracing {
    private static final Tracing TRACING = Tracing.find(ProcessTracing.class);

    private ProcessTracing() {}

    /** The context of traces as it is carried; null: there is none. */
    static @Nullable public String current() {
        return TRACING.current();
    }

    /** The span of a request to a process. */
    public static <T> T ask(String operation, String namespace, String id, Supplier<T> work) {
        try {
            return TRACING.asking(
                    operation,
                    Map.of("process.namespace", namespace, "process.id", id, "process.type", operation),
                    work::get);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("nothing else is thrown", e);
        }
    }

    /** The processor works on that step. */
    public static <T extends @Nullable Object> T work(Step step, Callable<T> work) throws Exception {
        String type = step.errand().type().text();
        return TRACING.working(
                "step " + type,
                Map.of(
                        "process.namespace",
                        step.served().namespace().name(),
                        "process.id",
                        step.subject().id(),
                        "process.type",
                        type,
                        "process.task_id",
                        Long.toString(step.errand().id())),
                step.errand().trace(),
                work);
    }
}
