package dev.howdah.console.internal.api.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** A request that waits for jobs. Guarded by its {@link PolledNode}. */
final class WaitingPoll {
    private final String worker;
    private final int leaseSeconds;
    private final int most;
    private final BooleanSupplier stands;
    private final List<HttpClaim> claims = new ArrayList<>();
    private final CompletableFuture<List<HttpClaim>> answer = new CompletableFuture<>();

    /** @param stands whether its caller may still claim */
    WaitingPoll(String worker, int leaseSeconds, int most, BooleanSupplier stands) {
        this.stands = stands;
        this.worker = worker;
        this.leaseSeconds = leaseSeconds;
        this.most = most;
    }

    String worker() {
        return worker;
    }

    int leaseSeconds() {
        return leaseSeconds;
    }

    int wanted() {
        return most - claims.size();
    }

    void add(HttpClaim claim) {
        claims.add(claim);
    }

    boolean stands() {
        return stands.getAsBoolean();
    }

    boolean isEmpty() {
        return claims.isEmpty();
    }

    CompletableFuture<List<HttpClaim>> answer() {
        return answer;
    }

    /** Answers with what it has. */
    void end() {
        answer.complete(List.copyOf(claims));
    }
}
