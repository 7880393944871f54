package dev.howdah.benchmarks.faults;

import dev.howdah.benchmarks.faults.JobHistory.Run;
import dev.howdah.benchmarks.faults.NodeProgram.Order;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Proves from a history that jobs left each other alone where they had to: keys, versions, order, limits. */
final class GroupChecker {
    private final JobHistory history;
    private final List<Asked> producers;
    private final List<String> complaints;
    private final Map<String, Long> counts = new LinkedHashMap<>();

    GroupChecker(JobHistory history, List<Asked> producers, List<String> complaints) {
        this.history = history;
        this.producers = producers;
        this.complaints = complaints;
    }

    Map<String, Long> counts() {
        return counts;
    }

    private void count(String what, long more) {
        counts.merge(what, more, Long::sum);
    }

    void check() {
        Map<String, List<Order>> groups = new TreeMap<>();
        for (Asked producer : producers)
            for (Order order : producer.orders().values())
                if (!order.group().isEmpty())
                    groups.computeIfAbsent(order.group(), g -> new ArrayList<>())
                            .add(order);
        groups.forEach((name, orders) -> {
            checkOneAtATime(name, orders);
            if (orders.get(0).hasVersion()) checkNewest(name, orders);
        });
        for (Asked producer : producers) checkOrder(producer);
        Predicate<Order> narrow = order -> order.queue().equals(NodeProgram.NARROW);
        checkLimit("queue " + NodeProgram.NARROW, narrow, NodeProgram.NARROW_MOST);
        checkLimit("a kind of it", narrow.and(Order::decides), NodeProgram.DECIDES_MOST);
        Predicate<Order> paced = order -> order.queue().equals(NodeProgram.PACED);
        checkRate("queue " + NodeProgram.PACED, paced, NodeProgram.PACED_MOST, Duration.ofSeconds(1));
        for (int i = 0; i < NodeProgram.TENANTS; i++) {
            String tenant = "tenant " + i;
            Predicate<Order> grouped = order ->
                    order.queue().equals(NodeProgram.GROUPED) && order.tenant().equals(tenant);
            checkLimit(tenant, grouped, NodeProgram.GROUPED_MOST);
            checkRate(tenant, grouped, NodeProgram.GROUPED_RATE, Duration.ofSeconds(2));
        }
    }

    /** The runs of these, but those of nodes that were taken for dead, whose jobs are others', in their order. */
    private List<Run> owned(List<Order> orders) {
        return orders.stream()
                .flatMap(order -> history.runs(order.n()).stream())
                .filter(run -> !history.isDisowned(run))
                .sorted(Comparator.comparingLong(Run::began))
                .toList();
    }

    private void checkOneAtATime(String group, List<Order> orders) {
        List<Run> runs = owned(orders);
        count("one_at_a_time", runs.size());
        for (int i = 0; i + 1 < runs.size(); i++)
            if (runs.get(i).overlaps(runs.get(i + 1)))
                complaints.add("of " + group + " two ran at once: " + runs.get(i) + ", " + runs.get(i + 1));
    }

    /** The newest of those that were added was done, or a newer one of which it is not known whether it was added. */
    private void checkNewest(String group, List<Order> orders) {
        long newest = orders.stream()
                .filter(order -> fate(order) == Asked.Fate.COMMITTED)
                .mapToLong(Order::n)
                .max()
                .orElse(0);
        boolean done = orders.stream()
                .filter(order -> order.n() >= newest)
                .flatMap(order -> history.runs(order.n()).stream())
                .anyMatch(run -> history.isDone(run) || diedWith(run));
        count("keys_with_versions", 1);
        if (newest > 0 && !done) complaints.add("of " + group + " the newest, " + newest + ", was not done");
    }

    private boolean diedWith(Run run) {
        String failure = history.failure(run.job());
        return failure != null && failure.contains("has died");
    }

    private Asked.Fate fate(Order order) {
        return producers.stream()
                .filter(producer -> producer.orders().containsKey(order.n()))
                .findFirst()
                .orElseThrow()
                .fate(order.n());
    }

    /** What a producer has added one after the other for an order key runs one after the other. */
    private void checkOrder(Asked producer) {
        Map<String, Run> last = new TreeMap<>();
        for (Order order : producer.orders().values()) {
            if (!order.hasOrder() || producer.fate(order.n()) != Asked.Fate.COMMITTED) continue;
            List<Run> runs = owned(List.of(order));
            if (runs.isEmpty()) continue;
            Run before = last.get(order.group());
            count("in_order", 1);
            if (before != null && runs.get(0).began() < before.ended())
                complaints.add("of " + order.group() + " " + runs.get(0) + " overtook " + before);
            last.put(order.group(), runs.get(runs.size() - 1));
        }
    }

    private void checkLimit(String what, Predicate<Order> which, int most) {
        List<Run> runs = owned(producers.stream()
                .flatMap(producer -> producer.orders().values().stream())
                .filter(which)
                .toList());
        TreeMap<Long, Integer> steps = new TreeMap<>();
        for (Run run : runs) {
            steps.merge(run.began(), 1, Integer::sum);
            steps.merge(run.ended(), -1, Integer::sum);
        }
        int running = 0;
        int highest = 0;
        for (int step : steps.values()) {
            running += step;
            highest = Math.max(highest, running);
        }
        count("most_of_" + what.replace(' ', '_'), highest);
        if (highest > most) complaints.add("of " + what + " " + highest + " ran at once, " + most + " may");
    }

    /** In no window of the period begin more; whatever nodes died meanwhile. */
    private void checkRate(String what, Predicate<Order> which, int most, Duration period) {
        List<Run> runs = owned(producers.stream()
                .flatMap(producer -> producer.orders().values().stream())
                .filter(which)
                .toList());
        int first = 0;
        int highest = 0;
        for (int i = 0; i < runs.size(); i++) {
            while (runs.get(i).began() - runs.get(first).began() >= period.toNanos()) first++;
            highest = Math.max(highest, i - first + 1);
        }
        count("begun_of_" + what.replace(' ', '_'), runs.size());
        count("most_in_a_window_of_" + what.replace(' ', '_'), highest);
        if (highest > most)
            complaints.add("of " + what + " " + highest + " began within " + period + ", " + most + " may");
    }
}
