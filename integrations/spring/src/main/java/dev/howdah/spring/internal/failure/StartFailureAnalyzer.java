package dev.howdah.spring.internal.failure;

import dev.howdah.beans.internal.handler.RefusedStart;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints a {@link RefusedStart} as Spring Boot prints its own: what is wrong, and what to do. */
public final class StartFailureAnalyzer extends AbstractFailureAnalyzer<RefusedStart> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, RefusedStart cause) {
        return new FailureAnalysis(cause.reason(), cause.action(), cause);
    }
}
