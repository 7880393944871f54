package dev.howdah.console.internal.api.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * A request that waits for jobs, and those of the same key. Its claims are guarded by its {@link PolledNode}, which of its connections are
 * closed and how it ended by its own lock: a request of the same key comes either before the end or after it.
 */
final class WaitingPoll {
    private final long since = System.nanoTime();
    private final PollCaller caller;
    private final String worker;
    private final int leaseSeconds;
    private final int most;
    private final BooleanSupplier stands;
    /** For each request, whether its connection is closed. */
    private final List<BooleanSupplier> clients = new ArrayList<>();

    private final List<HttpClaim> claims = new ArrayList<>();
    private final CompletableFuture<List<HttpClaim>> answer = new CompletableFuture<>();
    private boolean gone;
    private boolean withdrawn;
    private boolean ended;

    /**
     * @param client whether its connection is closed
     * @param stands whether its caller may still claim
     */
    WaitingPoll(
            PollCaller caller,
            String worker,
            int leaseSeconds,
            int most,
            BooleanSupplier client,
            BooleanSupplier stands) {
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

    /**
     * Another request, with the same key, waits for the same answer, or asks for it once more.
     *
     * @param client whether its connection is closed
     * @return false: there is no answer for it, since nothing was claimed or what was went back
     */
    synchronized boolean join(BooleanSupplier client) {
        if (gone) return false;
        if (ended) return claims.stream().filter(HttpClaim::offered).count() > 0;
        clients.add(client);
        return true;
    }

    /** Whether all connections that wait for the answer are closed. Once that was found no other request waits for it. */
    synchronized boolean isGone() {
        if (!ended && !gone) gone = clients.stream().allMatch(BooleanSupplier::getAsBoolean);
        return gone;
    }

    /**
     * Its worker does not want its jobs any more: those that it has go back. One that waits is ended by its node, which looks whether it is gone.
     *
     * @return false: it has ended, and so has each job that it was answered with
     */
    synchronized boolean withdraw() {
        withdrawn = true;
        if (!ended) {
            gone = true;
            return true;
        }
        int back = 0;
        for (HttpClaim each : claims) if (each.giveUp()) back++;
        return back > 0;
    }

    boolean isEmpty() {
        return claims.isEmpty();
    }

    CompletableFuture<List<HttpClaim>> answer() {
        return answer;
    }

    /** Answers all its requests with what it has. */
    void end() {
        boolean back;
        synchronized (this) {
            if (ended) return;
            ended = true;
            back = withdrawn;
            // Before the first answer: one that does not reach its client gives nothing back that another one tells.
            for (HttpClaim each : claims) clients.forEach(client -> each.offered());
        }
        if (back) claims.forEach(HttpClaim::giveUp);
        answer.complete(back ? List.of() : List.copyOf(claims));
    }
}
