package dev.howdah.benchmarks.faults;

import dev.howdah.benchmarks.faults.ProcessHistory.Run;
import dev.howdah.benchmarks.faults.ProcessHistory.Told;
import dev.howdah.benchmarks.faults.ProcessHistory.Written;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Proves from a history that no step was lost, none was committed twice, and every caller was told the truth. */
final class ProcessChecker {
    private static final String ZOMBIE = "zombie detected";

    private final ProcessHistory history;
    private final List<String> complaints;
    private final Map<String, Object> counts = new LinkedHashMap<>();
    private final Map<Long, String> written = new HashMap<>();
    private final Map<Long, List<Run>> runs = new HashMap<>();

    ProcessChecker(ProcessHistory history, List<String> complaints) {
        this.history = history;
        this.complaints = complaints;
    }

    Map<String, Object> counts() {
        return counts;
    }

    void check() {
        for (Run each : history.runs())
            runs.computeIfAbsent(each.n(), n -> new ArrayList<>()).add(each);
        history.events().forEach(this::checkEvents);
        history.told().forEach(this::checkTold);
        checkAsked();
        checkOverlaps();
        counts.put("events", written.size());
        counts.put("runs", history.runs().size());
        counts.put(
                "runs_again",
                runs.values().stream().mapToLong(each -> each.size() - 1L).sum());
    }

    /** The history of one process: without gaps, each step of it once, none that its processor has not ended. */
    private void checkEvents(String process, List<Written> events) {
        long last = 0;
        long timer = 0;
        for (Written each : events) {
            if (each.id() != last + 1)
                complaints.add("process " + process + ": after event " + last + " comes " + each.id());
            last = each.id();
            String before = written.put(each.n(), process);
            if (before != null)
                complaints.add("step " + each.n() + " is written twice: in " + before + " and " + process);
            if (runs.getOrDefault(each.n(), List.of()).stream()
                    .noneMatch(run -> run.process().equals(process) && run.ended() != Long.MAX_VALUE))
                complaints.add("step " + each.n() + " of " + process + " is written, and no processor has ended it");
            if (each.n() < 0) {
                if (-each.n() <= timer)
                    complaints.add("process " + process + ": timer " + -each.n() + " after " + timer);
                timer = -each.n();
            }
        }
    }

    private void checkTold(Told told) {
        String name = told.process() + " " + told.n();
        boolean is = told.process().equals(written.get(told.n()));
        int ran = runs.getOrDefault(told.n(), List.of()).size();
        counts.merge(
                "told_" + (told.reason().isEmpty() ? "done" : told.reason().replace(' ', '_')),
                1L,
                (a, b) -> (Long) a + (Long) b);
        switch (told.reason()) {
            case "" -> {
                if (!is) complaints.add(name + " was answered and is not written");
            }
            case ZOMBIE -> {
                if (is) complaints.add(name + " is written and its caller was told that it is not");
                if (!told.process().startsWith(ProcessNode.ONCE)) complaints.add(name + " should have run again");
            }
            case "process is error", "process not found" -> {
                if (ran > 0) complaints.add(name + " was refused and has run");
            }
            default -> complaints.add(name + " was told: " + told.reason());
        }
        if (told.process().startsWith(ProcessNode.ONCE) && ran > 1)
            complaints.add(name + " has run " + ran + " times and must not run again");
    }

    /** What is written was asked for. */
    private void checkAsked() {
        Set<Long> asked = new HashSet<>();
        for (Told each : history.told()) if (!asked.add(each.n())) complaints.add(each.n() + " was told twice");
        written.forEach((n, process) -> {
            if (n > 0 && !asked.contains(n))
                complaints.add("step " + n + " of " + process + ": its caller was told nothing");
        });
    }

    /** No two steps of one process at a time, but beside a node that was taken for dead: what that did is not written. */
    private void checkOverlaps() {
        Map<String, List<Run>> byProcess = new HashMap<>();
        for (Run each : history.runs())
            byProcess
                    .computeIfAbsent(each.process(), process -> new ArrayList<>())
                    .add(each);
        long excused = 0;
        for (List<Run> each : byProcess.values()) {
            each.sort(Comparator.comparingLong(Run::began));
            for (int i = 0; i + 1 < each.size(); i++) {
                Run before = each.get(i);
                Run next = each.get(i + 1);
                if (before.ended() <= next.began() || before.ended() == Long.MAX_VALUE) continue;
                // A step that runs again stands twice: of its two runs one is written at most.
                if (!written.containsKey(before.n()) || before.n() == next.n()) excused++;
                else
                    complaints.add(
                            "steps " + before.n() + " and " + next.n() + " of " + before.process() + " ran together");
            }
        }
        counts.put("beside_a_node_taken_for_dead", excused);
    }

    /** The longest time in milliseconds between two steps of a process that goes on by itself; of those that are not excused. */
    long longestGap(List<long[]> excused) {
        long longest = 0;
        for (Map.Entry<String, List<Written>> each : history.events().entrySet()) {
            if (!each.getKey().startsWith(ProcessNode.TICK)) continue;
            List<Written> events = each.getValue();
            for (int i = 1; i < events.size(); i++) {
                long from = events.get(i - 1).micros();
                long to = events.get(i).micros();
                if (excused.stream().noneMatch(freeze -> from < freeze[1] && to > freeze[0]))
                    longest = Math.max(longest, (to - from) / 1_000);
            }
        }
        return longest;
    }
}
