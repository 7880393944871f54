package dev.howdah.reach.internal.trace;

import dev.howdah.internal.trace.Tracing;
import dev.howdah.reach.internal.call.Target;
import dev.howdah.spi.reach.ReachResult;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/** The spans of runs at a target: one of each, with its place, and without path, text, output and error. Safe for use by many threads. */
public final class ReachTracing {
    private static final Tracing TRACING = Tracing.find(ReachTracing.class);

    private ReachTracing() {}

    /** Does the work, which never throws, in a span of its own within the current context. */
    public static ReachResult run(Target target, Supplier<ReachResult> work) {
        try {
            return TRACING.asking(
                    "reach " + target.scheme(),
                    target.port() == 0
                            ? Map.of("reach.scheme", target.scheme(), "reach.name", target.host())
                            : Map.of("reach.scheme", target.scheme(), "server.address", target.host()),
                    () -> {
                        if (target.port() != 0) TRACING.note("server.port", target.port());
                        return work.get();
                    },
                    ReachTracing::ending);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("nothing else is thrown", e);
        }
    }

    private static Tracing.Ending ending(ReachResult end) {
        String outcome = end.error() == null ? "done" : end.cancelled() ? "cancelled" : "fail";
        return new Tracing.Ending(end.error() != null, Map.of("reach.outcome", outcome));
    }

    /** Says with which status the receiver of the current run has answered. */
    public static void answered(int status) {
        TRACING.note("http.response.status_code", status);
    }

    /** The current context, for a receiver that continues the trace; empty where there is none. */
    public static Map<String, String> headers() {
        return TRACING.headers();
    }

    /** Returns the same work, which another thread does in the current context. */
    public static <T> Callable<T> carried(Callable<T> work) {
        return TRACING.carried(work);
    }
}
