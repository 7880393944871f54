package dev.howdah.console.internal.api.worker;

import dev.howdah.console.internal.connection.Client;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;

/** A request that waits for jobs, and those of the same key. Guarded by its {@link PolledNode}, but for the list of its clients. */
final class WaitingPoll {
    private final long since = System.nanoTime();
    private final PollCaller caller;
    private final String worker;
    private final int leaseSeconds;
    private final int most;
    private final BooleanSupplier stands;
    private final List<Client> clients = new CopyOnWriteArrayList<>();
    private final List<HttpClaim> claims = new ArrayList<>();
    private final CompletableFuture<List<HttpClaim>> answer = new CompletableFuture<>();

    /** @param stands whether its caller may still claim */
    WaitingPoll(PollCaller caller, String worker, int leaseSeconds, int most, Client client, BooleanSupplier stands) {
        this.caller = caller;
        clients.add(client);
        this.stands = stands;
        this.worker = worker;
        this.leaseSeconds = leaseSeconds;
        this.most = most;
    }

    /** When it was sent, as {@link System#nanoTime}. */
    long since() {
        return since;
    }

    PollCaller caller() {
        return caller;
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

    /** Another request, with the same key, waits for the same answer. */
    void join(Client client) {
        clients.add(client);
    }

    /** Whether all connections that wait for the answer are closed. */
    boolean isGone() {
        return !answer.isDone() && clients.stream().allMatch(Client::isGone);
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
