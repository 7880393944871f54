package dev.howdah.benchmarks.scaling;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * A database with nodes, event by event: statements wait for a core of the server, first come, first served, and take it for what they cost. Jobs are added one by one at
 * random moments. A claim takes what waits, so that claims become larger, and cheaper for each job, when the server is late. Each node looks for dead nodes two
 * seconds after its last look. An add that finds all nodes asleep rings, which all nodes hear. The same input has the same result.
 */
final class DatabaseSimulation {
    private static final double WATCH_MICROS = 2e6;
    private static final double IDLE_MICROS = 1e6;
    private static final int LARGEST_CLAIM = 500;
    /** Of the cost of a job that is alone the add is about half. */
    private static final double ADD_PART = 0.5;

    private enum Kind {
        WATCH,
        IDLE,
        ADD,
        ADDED,
        CLAIMED
    }

    private record Event(double at, long order, Kind kind) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Double.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    /**
     * What was seen.
     *
     * @param busy cores that were busy on the average
     * @param watching the part of these that looked for dead nodes
     * @param ringing the part that rang, and heard it
     * @param working the part that added, claimed and settled jobs
     * @param p50 milliseconds from the begin of an add to the end of the claim that takes the job
     * @param p99 the same
     * @param left jobs that waited in the end
     */
    record Result(double busy, double watching, double ringing, double working, double p50, double p99, long left) {}

    private final ServerCosts costs;
    private final int nodes;
    private final double jobsPerSecond;
    private final double end;
    private final SplittableRandom random = new SplittableRandom(20);
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final PriorityQueue<Double> cores = new PriorityQueue<>();
    /** When the adds of the jobs that wait began. */
    private final Deque<Double> waiting = new ArrayDeque<>();

    private final Deque<Double> adding = new ArrayDeque<>();
    private final List<Double> delays = new ArrayList<>();
    private long order;
    private int claiming;
    private double watching;
    private double ringing;
    private double working;
    private double idling;

    private DatabaseSimulation(ServerCosts costs, int serverCores, int nodes, double jobsPerSecond, double seconds) {
        this.costs = costs;
        this.nodes = nodes;
        this.jobsPerSecond = jobsPerSecond;
        this.end = seconds * 1e6;
        for (int i = 0; i < serverCores; i++) cores.add(0.0);
    }

    /**
     * Runs it.
     *
     * @param jobsPerSecond 0: none
     * @param seconds of the time that is simulated
     */
    static Result run(ServerCosts costs, int serverCores, int nodes, double jobsPerSecond, double seconds) {
        return new DatabaseSimulation(costs, serverCores, nodes, jobsPerSecond, seconds).run();
    }

    private Result run() {
        for (int i = 0; i < nodes; i++) {
            plan(random.nextDouble() * WATCH_MICROS, Kind.WATCH);
            plan(random.nextDouble() * IDLE_MICROS, Kind.IDLE);
        }
        planAdd(0);
        for (Event next = events.poll(); next != null && next.at() < end; next = events.poll()) handle(next);
        Collections.sort(delays);
        double all = (watching + ringing + working + idling) / end;
        return new Result(
                all,
                watching / end,
                ringing / end,
                working / end,
                percentile(0.5),
                percentile(0.99),
                waiting.size() + adding.size());
    }

    private void handle(Event event) {
        switch (event.kind()) {
            case WATCH -> {
                watching += costs.watch();
                plan(take(event.at(), costs.watch()) + WATCH_MICROS, Kind.WATCH);
            }
            case IDLE -> {
                idling += costs.idle();
                plan(take(event.at(), costs.idle()) + IDLE_MICROS, Kind.IDLE);
            }
            case ADD -> {
                double cost = costs.single() * ADD_PART;
                working += cost;
                adding.add(event.at());
                plan(take(event.at(), cost), Kind.ADDED);
                planAdd(event.at());
            }
            case ADDED -> {
                waiting.add(adding.remove());
                if (claiming > 0 && waiting.size() < LARGEST_CLAIM) return;
                if (claiming == 0) {
                    // Each session that listens takes a core for a moment; they do not wait for each other.
                    ringing += costs.ring() + costs.heard() * nodes;
                    take(event.at(), costs.ring());
                    for (int i = 0; i < nodes; i++) take(event.at(), costs.heard());
                }
                claim(event.at());
            }
            case CLAIMED -> {
                claiming--;
                if (!waiting.isEmpty()) claim(event.at());
            }
        }
    }

    private void claim(double now) {
        if (claiming >= 2 * nodes) return;
        claiming++;
        int jobs = Math.min(waiting.size(), LARGEST_CLAIM);
        List<Double> begun = new ArrayList<>(jobs);
        for (int i = 0; i < jobs; i++) begun.add(waiting.remove());
        double cost = costs.single() * (1 - ADD_PART) + costs.work() * (jobs - 1);
        working += cost;
        double claimed = take(now, cost);
        for (double each : begun) delays.add((claimed - each) / 1e3);
        plan(claimed, Kind.CLAIMED);
    }

    private void planAdd(double now) {
        if (jobsPerSecond > 0) plan(now - StrictMath.log(1 - random.nextDouble()) / jobsPerSecond * 1e6, Kind.ADD);
    }

    private void plan(double at, Kind kind) {
        events.add(new Event(at, order++, kind));
    }

    /** Takes the core that is free first, and returns until when. */
    private double take(double now, double cost) {
        double ends = Math.max(now, cores.remove()) + cost;
        cores.add(ends);
        return ends;
    }

    private double percentile(double part) {
        return delays.isEmpty() ? 0 : delays.get((int) Math.min(delays.size() - 1, delays.size() * part));
    }
}
