package dev.howdah.benchmarks.faults;

import dev.howdah.benchmarks.faults.JobHistory.Run;
import dev.howdah.benchmarks.faults.NodeProgram.Order;
import dev.howdah.job.CancelResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Proves from a history that each job came to its one right end. What jobs have to do with each other proves {@link GroupChecker}. */
final class JobChecker {
    private final JobHistory history;
    private final List<Asked> producers;
    private final List<String> complaints;
    private final Map<String, Object> counts = new LinkedHashMap<>();

    JobChecker(JobHistory history, List<Asked> producers, List<String> complaints) {
        this.history = history;
        this.producers = producers;
        this.complaints = complaints;
    }

    Map<String, Object> counts() {
        return counts;
    }

    void check() {
        if (history.nodes() != 0) complaints.add(history.nodes() + " nodes are left behind");
        Map<Asked.Fate, Long> fates = new LinkedHashMap<>();
        long died = 0;
        long overlaps = 0;
        long runs = 0;
        for (Asked producer : producers)
            for (Order order : producer.orders().values()) {
                Asked.Fate fate = producer.fate(order.n());
                fates.merge(fate, 1L, Long::sum);
                List<Run> ran = history.runs(order.n());
                runs += ran.size();
                if (checkOne(producer, order, fate, ran)) died++;
                overlaps += checkOverlaps(ran);
            }
        for (Asked.Fate each : Asked.Fate.values()) counts.put(each.word(), fates.getOrDefault(each, 0L));
        counts.put("runs", runs);
        counts.put("effects", history.effects());
        counts.put("failed_by_deaths", died);
        counts.put("beside_a_node_taken_for_dead", overlaps);
    }

    /** Returns whether it failed because nodes died with it. */
    private boolean checkOne(Asked producer, Order order, Asked.Fate fate, List<Run> ran) {
        if (fate == Asked.Fate.ROLLED_BACK || fate == Asked.Fate.REFUSED) {
            if (!ran.isEmpty()) complaints.add("job " + order.n() + " is " + fate.word() + " and has run");
            return false;
        }
        Long known = producer.job(order.n());
        if (ran.isEmpty() && known == null) return false;
        long job = known == null ? ran.get(0).job() : known;
        if (ran.stream().anyMatch(run -> run.job() != job)) complaints.add("job " + order.n() + " is there twice");
        return checkEnd(producer, order, ran, job);
    }

    private boolean checkEnd(Asked producer, Order order, List<Run> ran, long job) {
        String name = "job " + order.n() + " (" + job + ")";
        long done = history.done(job);
        String failure = history.failure(job);
        if (done + (failure == null ? 0 : 1) != 1)
            complaints.add(
                    name + " has " + done + " accepted ends and failed with " + failure + ": " + history.letters(job));
        CancelResult cancelled = producer.cancelled(order.n());
        boolean died = failure != null && failure.contains("has died");
        boolean ended = failure != null && failure.startsWith("cancelled: ");
        // Of several versions of one key a job does the newest: see GroupChecker.
        if (order.hasVersion()) return died;
        if (ended && cancelled == null) complaints.add(name + " was cancelled without a request");
        else if (failure != null && !died && !ended && !order.fatal()) complaints.add(name + " has failed: " + failure);
        if (cancelled == CancelResult.CANCELLED && !ended) complaints.add(name + " was cancelled and is not");
        if (done == 1 && order.fatal()) complaints.add(name + " should have failed and is done");
        if (done == 1 && ran.stream().noneMatch(history::isDone))
            complaints.add(name + " is done and its handler has not ended");
        long effect = history.effects(order.n());
        if (effect != (order.commits() ? done : 0))
            complaints.add(name + " took effect " + effect + " times, done " + done);
        long at = producer.cancelledAt(order.n());
        if (cancelled == CancelResult.CANCELLED && ran.stream().anyMatch(run -> run.began() > at))
            complaints.add(name + " has begun after it was cancelled");
        return died;
    }

    /** None runs twice at once, but beside a node that was taken for dead; returns how often that was. */
    private long checkOverlaps(List<Run> ran) {
        long excused = 0;
        List<Run> sorted = new ArrayList<>(ran);
        sorted.sort(Comparator.comparingLong(Run::token));
        for (int i = 0; i + 1 < sorted.size(); i++) {
            Run before = sorted.get(i);
            Run next = sorted.get(i + 1);
            if (before.ended() == Long.MAX_VALUE || before.ended() <= next.began()) continue;
            if (history.isDisowned(before)) excused++;
            else
                complaints.add("job " + before.n() + " ran twice at once: in batch " + before.token() + ", which ended "
                        + history.end(before) + ", and in " + next.token());
        }
        return excused;
    }
}
