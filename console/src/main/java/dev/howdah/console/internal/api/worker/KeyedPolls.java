package dev.howdah.console.internal.api.worker;

import dev.howdah.console.internal.api.ApiProblemException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Requests for jobs that have an idempotency key. The same request again is answered with the claims of the first one that still hold, also
 * while the first one waits. Kept in memory, as the claims themselves are. Safe for use by many threads.
 */
final class KeyedPolls {
    private final Map<Key, Keyed> polls = new ConcurrentHashMap<>();
    private final Executor executor;

    /** @param executor runs what follows on an answer */
    KeyedPolls(Executor executor) {
        this.executor = executor;
    }

    /** A key belongs to its caller. */
    record Key(String caller, String key) {}

    /** What was asked for: another request with the same key is refused. */
    record Asked(PolledNodes.Served served, String worker, int leaseSeconds, int most) {}

    private record Keyed(Asked asked, WaitingPoll poll, CompletableFuture<List<HttpClaim>> answer) {
        /** Whether a request with the same key has its answer, or its refusal, here; else it asks anew. */
        boolean takes(Keyed given, BooleanSupplier client) {
            return !asked.equals(given.asked) || poll.join(client);
        }

        boolean isEndedSince(long nanos) {
            return answer.isDone()
                    && (answer.isCompletedExceptionally()
                            || answer.join().stream().allMatch(each -> each.isEndedSince(nanos)));
        }
    }

    /**
     * Asks once.
     *
     * @param poll waits for jobs, if nothing waits for that key
     * @param client whether the connection of this request is closed
     * @param ask adds the poll
     * @throws ApiProblemException if something else was asked for with that key
     */
    CompletableFuture<List<HttpClaim>> once(
            Key key, Asked asked, WaitingPoll poll, BooleanSupplier client, Consumer<WaitingPoll> ask) {
        Keyed mine = new Keyed(asked, poll, new CompletableFuture<>());
        Keyed known = polls.merge(key, mine, (there, given) -> there.takes(given, client) ? there : given);
        if (known != mine) {
            if (!known.asked().equals(asked))
                throw new ApiProblemException(
                        422, "key-reused", "another request for jobs was sent with this idempotency key before");
            return known.answer()
                    .thenApplyAsync(
                            claims -> claims.stream().filter(HttpClaim::again).toList(), executor);
        }
        try {
            ask.accept(poll);
            poll.answer().whenComplete((claims, failure) -> {
                // Nothing was claimed: the same key may ask anew.
                if (failure != null || claims.isEmpty()) polls.remove(key, mine);
                if (failure != null) mine.answer().completeExceptionally(failure);
                else mine.answer().complete(claims);
            });
        } catch (RuntimeException e) {
            polls.remove(key, mine);
            mine.answer().completeExceptionally(e);
            throw e;
        }
        return mine.answer();
    }

    /**
     * Takes the request back: see {@link WaitingPoll#withdraw}.
     *
     * @return false: there is none, or all its jobs have ended
     */
    boolean withdraw(Key key) {
        Keyed known = polls.get(key);
        return known != null && known.poll().withdraw();
    }

    /** Forgets those whose jobs ended longer ago than that. */
    void clean(long nanos) {
        polls.values().removeIf(each -> each.isEndedSince(nanos));
    }
}
