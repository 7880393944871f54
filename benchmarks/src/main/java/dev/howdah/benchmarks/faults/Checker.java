package dev.howdah.benchmarks.faults;

import dev.howdah.benchmarks.faults.History.Change;
import dev.howdah.benchmarks.faults.History.Row;
import dev.howdah.benchmarks.faults.History.Run;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Complains about everything in a history that contradicts what is promised for tasks. */
final class Checker {
    private static final Set<String> FINAL = Set.of("DONE", "FAIL", "GONE");
    private static final Set<String> ALLOWED = Set.of(
            "PLAN TAKE",
            "PLAN WORK",
            "PLAN GONE",
            "TAKE WORK",
            "TAKE PLAN",
            "TAKE FAIL",
            "WORK PLAN",
            "WORK DONE",
            "WORK FAIL");

    private final History history;
    private final Predicate<String> excused;
    private final List<String> complaints = new ArrayList<>();
    private final Map<String, Long> counts = new LinkedHashMap<>();
    private final Map<Long, Life> lives = new TreeMap<>();

    /** What is known of one task. */
    private static final class Life {
        private final Change born;
        private final List<Change> changes = new ArrayList<>();
        private final List<Run> runs = new ArrayList<>();
        private final List<Life> repeats = new ArrayList<>();
        private @Nullable Row row;

        Life(Change born) {
            this.born = born;
        }

        long id() {
            return born.id();
        }

        String label() {
            return String.valueOf(born.label());
        }

        String lane() {
            return String.valueOf(born.lane());
        }

        long beside() {
            return Math.max(born.max(), 0);
        }

        String state() {
            String last = born.after();
            for (Change each : changes) if (each.after() != null) last = each.after();
            return String.valueOf(last);
        }

        long works() {
            return runs.stream().filter(run -> run.ended() != null).count();
        }

        /**
         * When a run was over, by its own word or else by that of the scheduler, who then wrote down something else: a moment
         * after the run had ended, which the row tells.
         */
        long end(Run run) {
            if (run.ended() != null) return run.ended();
            long written = changes.stream()
                    .filter(each -> each.at() > run.began() && "WORK".equals(each.before()))
                    .mapToLong(Change::at)
                    .findFirst()
                    .orElse(run.began());
            Long stop = row == null ? null : row.stop();
            return stop != null && stop > run.began() ? Math.min(written, stop) : written;
        }
    }

    /** @param excused errors that may end a task which would have ended well without the fault */
    private Checker(History history, Predicate<String> excused) {
        this.history = history;
        this.excused = excused;
    }

    /**
     * What was found.
     *
     * @param complaints empty if all promises were kept
     */
    record Findings(List<String> complaints, Map<String, Long> counts) {}

    static Findings check(History history, Predicate<String> excused) {
        Checker checker = new Checker(history, excused);
        checker.gather();
        checker.lives.values().forEach(checker::checkStates);
        checker.lives.values().forEach(checker::checkRuns);
        checker.lives.values().forEach(checker::checkEnd);
        checker.checkAdded();
        checker.checkRepeats();
        checker.checkLimits();
        checker.count();
        return new Findings(checker.complaints, checker.counts);
    }

    private void complain(Life life, String what) {
        complaints.add("task " + life.id() + " (" + life.label() + "): " + what);
    }

    private void gather() {
        for (Change change : history.changes()) {
            if (change.before() == null) {
                if (lives.put(change.id(), new Life(change)) != null)
                    complaints.add("task " + change.id() + " was inserted twice");
                continue;
            }
            Life life = lives.get(change.id());
            if (life == null) complaints.add("task " + change.id() + " changed before it was inserted");
            else life.changes.add(change);
        }
        for (Run run : history.runs()) {
            Life life = lives.get(run.task());
            if (life == null) complaints.add("task " + run.task() + " ran and was never inserted");
            else life.runs.add(run);
        }
        for (Row row : history.rows()) {
            Life life = lives.get(row.id());
            if (life == null) complaints.add("row " + row.id() + " was never inserted");
            else life.row = row;
        }
        for (Long id : history.acknowledged())
            if (!lives.containsKey(id)) complaints.add("task " + id + " was acknowledged and is lost");
    }

    /** Each state follows from the one before; one final state, and nothing after it. */
    private void checkStates(Life life) {
        String state = String.valueOf(life.born.after());
        for (Change change : life.changes) {
            String after = change.after();
            if (!state.equals(change.before())) complain(life, "was " + state + " and then " + change.before());
            if ("WORK".equals(after) && life.born.max() >= 0 && change.at() < life.born.plan())
                complain(life, "began before its plan");
            if (after == null) {
                if (!state.equals("DONE")) complain(life, "was deleted as " + state);
                state = "deleted";
            } else {
                if (!ALLOWED.contains(change.before() + " " + after)) complain(life, change.before() + " to " + after);
                state = after;
            }
        }
        if (!FINAL.contains(state) && !state.equals("deleted")) complain(life, "has no final state but " + state);
        Row row = life.row;
        if (row == null ? !state.equals("deleted") : !state.equals(row.state()))
            complain(life, "is " + (row == null ? "gone" : row.state()) + " and its history says " + state);
    }

    /** Never twice at the same time, and no more often than it was started. */
    private void checkRuns(Life life) {
        for (Run run : life.runs) if (run.twin()) complain(life, "the server saw it running twice at the same time");
        for (int i = 1; i < life.runs.size(); i++) {
            Run before = life.runs.get(i - 1);
            if (before.ended() != null && life.runs.get(i).began() < before.ended())
                complain(life, "began again before it had ended");
        }
        long started = life.changes.stream()
                .filter(each -> "WORK".equals(each.after()))
                .count();
        if (life.runs.size() > started)
            complain(life, "ran " + life.runs.size() + " times and was started " + started + " times");
    }

    private void checkEnd(Life life) {
        Row row = life.row;
        if (row == null) return;
        String error = row.error();
        boolean excuse = row.state().equals("FAIL") && error != null && excused.test(error);
        String wanted = wanted(life.label());
        String state = row.state();
        if (!excuse && !wanted.contains(state) && FINAL.contains(state)) complain(life, "is " + state + ": " + error);
        if (state.equals("FAIL") && error == null) complain(life, "failed without an error");
        if (state.equals("DONE")) {
            if (life.works() == 0) complain(life, "is DONE and has not done its work");
            if (error != null) complain(life, "is DONE with an error: " + error);
            checkTimes(life, row);
        }
        boolean givenBack =
                life.changes.stream().anyMatch(each -> "WORK".equals(each.before()) && "PLAN".equals(each.after()));
        if (state.equals("GONE") && life.works() > 0 && !givenBack) complain(life, "has worked and is GONE");
        if (life.label().startsWith("once")) {
            long right = state.equals("DONE") ? 1 : 0;
            if (life.works() != right) complain(life, "is " + state + " and took effect " + life.works() + " times");
        }
    }

    private static String wanted(String label) {
        return switch (label) {
            case "fails", "timeout", "once fails" -> "FAIL";
            case "expires" -> "DONE GONE";
            default -> "DONE";
        };
    }

    /** The row speaks of the run that came last, and of no other. */
    private void checkTimes(Life life, Row row) {
        if (life.runs.isEmpty()) return;
        Run last = life.runs.get(life.runs.size() - 1);
        Long ended = last.ended();
        if (ended == null) complain(life, "is DONE, and its last run did not end");
        else if (row.stop() == null || row.stop() < ended) complain(life, "stopped before its work had ended");
        if (row.start() == null || row.start() > last.began()) complain(life, "started after its work had begun");
        if (!Objects.equals(row.pid(), last.pid()))
            complain(life, "says process " + row.pid() + " ran it, it was " + last.pid());
    }

    /** Tasks that add a task: as many as their work took effect, and each knows its parent. */
    private void checkAdded() {
        Map<Long, Long> children = new HashMap<>();
        for (Life life : lives.values()) {
            Long parent = life.born.parent();
            if (life.label().equals("added")) {
                if (parent == null) complain(life, "was added by a task and has no parent");
                else children.merge(parent, 1L, Long::sum);
            }
        }
        for (Life life : lives.values()) {
            long added = children.getOrDefault(life.id(), 0L);
            if (life.label().equals("adds") && added != life.works())
                complain(life, "worked " + life.works() + " times and added " + added + " tasks");
        }
    }

    /** Every chain has one root and one last run, and each run before that exactly one that follows, on its grid. */
    private void checkRepeats() {
        Map<String, List<Life>> chains = new TreeMap<>();
        for (Life life : lives.values())
            if (life.label().startsWith("repeat "))
                chains.computeIfAbsent(life.label(), x -> new ArrayList<>()).add(life);
        for (Map.Entry<String, List<Life>> chain : chains.entrySet()) {
            Set<Long> parents = new HashSet<>();
            long roots = 0;
            for (Life life : chain.getValue()) {
                Long parent = life.born.parent();
                Life before = parent == null ? null : lives.get(parent);
                if (before == null) {
                    roots++;
                    continue;
                }
                if (!parents.add(before.id())) complain(before, "was repeated twice");
                long step = life.born.plan() - before.born.plan();
                if (step <= 0 || step % before.born.repeat() != 0) complain(life, "is not on the grid of its repeat");
            }
            long ends = chain.getValue().stream()
                    .filter(life -> !parents.contains(life.id()))
                    .count();
            if (roots != 1) complaints.add(chain.getKey() + " has " + roots + " first runs");
            if (ends != 1) complaints.add(chain.getKey() + " has " + ends + " last runs");
        }
        counts.put("repeats", chains.values().stream().mapToLong(List::size).sum() - chains.size());
    }

    /** At every begin no more others of the group run than its limit says. */
    private void checkLimits() {
        record Span(Life life, Run run, long end) {}
        Map<String, List<Span>> lanes = new TreeMap<>();
        for (Life life : lives.values()) {
            for (Run run : life.runs) {
                if (run.beside() > life.beside())
                    complain(life, "the server saw " + run.beside() + " others of its group at its begin");
                lanes.computeIfAbsent(life.lane(), x -> new ArrayList<>()).add(new Span(life, run, life.end(run)));
            }
        }
        for (List<Span> spans : lanes.values()) {
            spans.sort((a, b) -> Long.compare(a.run().began(), b.run().began()));
            List<Span> open = new ArrayList<>();
            for (Span span : spans) {
                open.removeIf(each -> each.end() <= span.run().began());
                long others =
                        open.stream().filter(each -> each.life() != span.life()).count();
                if (others > span.life().beside())
                    complain(span.life(), others + " others of " + span.life().lane() + " ran at its begin");
                open.add(span);
            }
        }
    }

    private void count() {
        long tasks = lives.size();
        long runs = lives.values().stream().mapToLong(life -> life.runs.size()).sum();
        long ran = lives.values().stream().filter(life -> !life.runs.isEmpty()).count();
        counts.put("tasks", tasks);
        counts.put("acknowledged", (long) history.acknowledged().size());
        counts.put("runs", runs);
        counts.put("run_again", runs - ran);
        for (String state : List.of("DONE", "FAIL", "GONE"))
            counts.put(
                    state.toLowerCase(java.util.Locale.ROOT),
                    lives.values().stream()
                            .filter(life -> life.state().equals(state))
                            .count());
        counts.put(
                "once",
                lives.values().stream()
                        .filter(life -> life.label().startsWith("once"))
                        .count());
        counts.put(
                "excused",
                lives.values().stream()
                        .map(life -> life.row)
                        .filter(row -> row != null && row.error() != null && excused.test(row.error()))
                        .count());
    }
}
