package dev.howdah.job.internal.workflow;

import dev.howdah.job.workflow.Workflow;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks which jobs of a workflow wait for which, before anything is written. */
final class WorkflowGraph {
    private WorkflowGraph() {}

    /** @throws IllegalArgumentException if there is nothing to run, a name that is none, or a circle */
    static void check(Workflow workflow) {
        if (workflow.named().isEmpty() && workflow.jobs().isEmpty() && !workflow.isOpen())
            throw new IllegalArgumentException("workflow " + workflow.name()
                    + " has no job: it needs one at least, or has to be open, to add jobs later");
        Map<String, Set<String>> waitsFor = waitsFor(workflow);
        for (Workflow.Named each : workflow.named())
            for (String before : waitsFor.getOrDefault(each.name(), Set.of()))
                if (!waitsFor.containsKey(before))
                    throw new IllegalArgumentException("job " + each.name() + " of workflow " + workflow.name()
                            + " waits for " + before + ", which is no job of it");
        refuseCycle(workflow, waitsFor);
    }

    /**
     * Checks jobs that are to be added to a workflow that is there; what else they wait for, the database knows.
     *
     * @throws IllegalArgumentException if there is nothing to add, a callback, or a circle
     */
    static void checkAddition(Workflow more) {
        if (more.named().isEmpty() && more.jobs().isEmpty())
            throw new IllegalArgumentException(more.name() + " has no job to add");
        if (!more.callbacks().isEmpty())
            throw new IllegalArgumentException(
                    more.name() + " has a job for when all have ended: a workflow gets it when"
                            + " it is added itself, not with further jobs");
        Map<String, Set<String>> waitsFor = waitsFor(more);
        waitsFor.values().forEach(names -> names.retainAll(waitsFor.keySet()));
        refuseCycle(more, waitsFor);
    }

    private static Map<String, Set<String>> waitsFor(Workflow workflow) {
        Map<String, Set<String>> waitsFor = new HashMap<>();
        for (Workflow.Named each : workflow.named())
            waitsFor.put(
                    each.name(),
                    new LinkedHashSet<>(
                            each.after() == null ? List.of() : each.after().names()));
        return waitsFor;
    }

    private static void refuseCycle(Workflow workflow, Map<String, Set<String>> waitsFor) {
        Set<String> stuck = stuck(workflow, waitsFor);
        if (!stuck.isEmpty())
            throw new IllegalArgumentException("workflow " + workflow.name()
                    + " has a cycle of jobs, none of which could ever run: " + cycle(stuck, waitsFor));
    }

    /** Those that are left when each job is taken out once all that it waits for are. */
    private static Set<String> stuck(Workflow workflow, Map<String, Set<String>> waitsFor) {
        Map<String, Integer> open = new HashMap<>();
        Map<String, List<String>> followers = new HashMap<>();
        Deque<String> free = new ArrayDeque<>();
        Set<String> left = new LinkedHashSet<>();
        for (Workflow.Named each : workflow.named()) {
            Set<String> before = waitsFor.getOrDefault(each.name(), Set.of());
            left.add(each.name());
            open.put(each.name(), before.size());
            if (before.isEmpty()) free.add(each.name());
            for (String name : before)
                followers.computeIfAbsent(name, key -> new ArrayList<>()).add(each.name());
        }
        for (@Nullable String next = free.poll(); next != null; next = free.poll()) {
            left.remove(next);
            for (String after : followers.getOrDefault(next, List.of()))
                if (open.merge(after, -1, Integer::sum) == 0) free.add(after);
        }
        return left;
    }

    private static String cycle(Set<String> stuck, Map<String, Set<String>> waitsFor) {
        List<String> way = new ArrayList<>();
        String at = stuck.iterator().next();
        while (!way.contains(at)) {
            way.add(at);
            for (String before : waitsFor.getOrDefault(at, Set.of()))
                if (stuck.contains(before)) {
                    at = before;
                    break;
                }
        }
        List<String> circle = new ArrayList<>(way.subList(way.indexOf(at), way.size()));
        circle.add(at);
        return String.join(" waits for ", circle);
    }
}
