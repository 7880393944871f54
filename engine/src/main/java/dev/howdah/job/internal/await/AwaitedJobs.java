package dev.howdah.job.internal.await;

import dev.howdah.job.JobsException;
import dev.howdah.job.query.JobSummary;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The jobs that this program waits for, each with the futures of its callers. Safe for use by many threads. */
final class AwaitedJobs {
    private final Map<Long, Set<CompletableFuture<JobSummary>>> futures = new HashMap<>();

    /** Those that have not been looked at since their note was written. */
    private final Set<Long> fresh = new HashSet<>();

    /** Adds a future, which is forgotten when it completes, by whatever caller. */
    CompletableFuture<JobSummary> add(long id) {
        CompletableFuture<JobSummary> future = new CompletableFuture<>();
        synchronized (this) {
            futures.computeIfAbsent(id, job -> new LinkedHashSet<>()).add(future);
        }
        future.whenComplete((summary, failure) -> remove(id, future));
        return future;
    }

    private synchronized void remove(long id, CompletableFuture<JobSummary> future) {
        Set<CompletableFuture<JobSummary>> left = futures.get(id);
        if (left == null || !left.remove(future) || !left.isEmpty()) return;
        futures.remove(id);
        fresh.remove(id);
    }

    /** The note of a job is written: an end that was being written then is not notified, and one more look finds it. */
    synchronized void noted(long id) {
        if (futures.containsKey(id)) fresh.add(id);
    }

    synchronized boolean isEmpty() {
        return futures.isEmpty();
    }

    synchronized Set<Long> all() {
        return new HashSet<>(futures.keySet());
    }

    /** Those of these jobs that are waited for, and those that are fresh, which are not afterwards. */
    synchronized Set<Long> due(Set<Long> notified) {
        Set<Long> due = new HashSet<>(fresh);
        for (long each : notified) if (futures.containsKey(each)) due.add(each);
        fresh.clear();
        return due;
    }

    private synchronized List<CompletableFuture<JobSummary>> of(long id) {
        return List.copyOf(futures.getOrDefault(id, Set.of()));
    }

    void ended(JobSummary job) {
        of(job.id()).forEach(each -> each.complete(job));
    }

    void isMissing(long id) {
        of(id).forEach(each -> each.completeExceptionally(missing(id)));
    }

    static JobsException missing(long id) {
        return new JobsException("there is no job " + id
                + ": its history has been removed, or the transaction that adds it has not been committed");
    }

    void failAll(String why) {
        for (long each : all()) of(each).forEach(future -> future.completeExceptionally(new JobsException(why)));
    }
}
