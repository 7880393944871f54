package dev.howdah.spring.internal.failure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints a {@link StartFailure} as Spring Boot prints its own: what is wrong, and what to do. */
public final class StartFailureAnalyzer extends AbstractFailureAnalyzer<StartFailure> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, StartFailure cause) {
        return new FailureAnalysis(cause.description(), cause.action(), cause);
    }
}
