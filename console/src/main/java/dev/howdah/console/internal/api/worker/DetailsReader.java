package dev.howdah.console.internal.api.worker;

import dev.howdah.operations.read.ClaimedDetails;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * Reads what the database knows of claimed jobs. Answers that are made while a statement runs share the next one: to plan it costs more than
 * to read the details of a few jobs. Safe for use by many threads.
 */
final class DetailsReader {
    private record Wanted(List<HttpClaim> claims, CompletableFuture<Map<Long, ClaimedDetails>> details) {}

    private final Function<List<HttpClaim>, Map<Long, ClaimedDetails>> statement;
    private final Executor executor;
    private List<Wanted> waiting = new ArrayList<>();
    private boolean reading;

    /** @param statement reads the details of the jobs of all these claims */
    DetailsReader(Function<List<HttpClaim>, Map<Long, ClaimedDetails>> statement, Executor executor) {
        this.statement = statement;
        this.executor = executor;
    }

    /** The details of these jobs by their ids, beside those of others; failed by what the statement throws. */
    CompletableFuture<Map<Long, ClaimedDetails>> of(List<HttpClaim> claims) {
        if (claims.isEmpty()) return CompletableFuture.completedFuture(Map.of());
        Wanted wanted = new Wanted(claims, new CompletableFuture<>());
        synchronized (this) {
            waiting.add(wanted);
            if (reading) return wanted.details();
            reading = true;
        }
        executor.execute(this::read);
        return wanted.details();
    }

    private void read() {
        for (List<Wanted> group = take(); !group.isEmpty(); group = take()) {
            try {
                Map<Long, ClaimedDetails> details = statement.apply(
                        group.stream().flatMap(each -> each.claims().stream()).toList());
                group.forEach(each -> each.details().complete(details));
            } catch (RuntimeException | Error e) {
                group.forEach(each -> each.details().completeExceptionally(e));
            }
        }
    }

    private synchronized List<Wanted> take() {
        List<Wanted> group = waiting;
        waiting = new ArrayList<>();
        reading = !group.isEmpty();
        return group;
    }
}
