package dev.howdah.daemon.cli.top.list;

import dev.howdah.sweep.SweepErrorGroup;
import dev.howdah.sweep.SweepProgress;
import dev.howdah.sweep.SweepState;
import dev.howdah.sweep.Sweeps;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

/** Sweeps, in the order of their starts. */
public final class TopSweeps implements TopView {
    private static final int BAR = 20;
    private static final int ERRORS = 10;

    private static final List<TopColumn> COLUMNS = List.of(
            TopColumn.text("SWEEP", 0, 24),
            TopColumn.text("STATE", 0, 7),
            TopColumn.text("PROGRESS", 3, BAR + 5),
            TopColumn.number("DONE", 0),
            TopColumn.number("FAILED", 1),
            TopColumn.number("LEFT", 1),
            TopColumn.number("ROWS/S", 2),
            TopColumn.number("TIME LEFT", 0),
            TopColumn.number("WORKERS", 2),
            TopColumn.rest("ERROR", 4));

    private final Sweeps sweeps;

    public TopSweeps(Sweeps sweeps) {
        this.sweeps = sweeps;
    }

    @Override
    public String title() {
        return "Sweeps";
    }

    @Override
    public List<String> states() {
        return List.of("all", "running", "paused", "stopped", "failed", "done");
    }

    @Override
    public String filterHelp() {
        return "a part of the name";
    }

    @Override
    public TopPage read(String state, String filter, int limit, Instant now) {
        List<SweepProgress> all = sweeps.list();
        List<TopRow> rows = all.stream()
                .filter(each -> state.equals("all") || word(each.state()).equals(state))
                .filter(each -> each.name().contains(filter))
                .limit(limit)
                .map(TopSweeps::row)
                .toList();
        long running =
                all.stream().filter(each -> each.state() == SweepState.RUNNING).count();
        return new TopPage(
                TopText.count(all.size()) + (all.size() == 1 ? " sweep, " : " sweeps, ") + TopText.count(running)
                        + " running",
                COLUMNS,
                rows,
                all.isEmpty() ? "There are no sweeps yet: \"howdah sweep\" starts one." : "No sweep matches.");
    }

    private static String word(SweepState state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    private static TopRow row(SweepProgress sweep) {
        return new TopRow(
                "",
                sweep.name(),
                switch (sweep.state()) {
                    case RUNNING -> TopTone.RUNNING;
                    case PAUSED -> TopTone.PAUSED;
                    case STOPPED -> TopTone.WAITING;
                    case DONE -> TopTone.DONE;
                    case FAILED -> TopTone.FAILED;
                },
                List.of(
                        TopText.line(sweep.name()),
                        word(sweep.state()),
                        bar(sweep),
                        TopText.count(sweep.done()),
                        TopText.count(sweep.failed()),
                        sweep.left() < 0 ? "?" : TopText.count(sweep.left()),
                        TopText.count(Math.round(sweep.rowsPerSecond())),
                        timeLeft(sweep),
                        TopText.count(sweep.workers().size()),
                        TopText.line(sweep.error())));
    }

    private static String bar(SweepProgress sweep) {
        if (sweep.total() <= 0) return "";
        double part = Math.min(1, (double) (sweep.done() + sweep.failed()) / sweep.total());
        if (sweep.state() == SweepState.DONE) part = 1;
        int full = (int) (part * BAR);
        return "#".repeat(full) + ".".repeat(BAR - full) + String.format(Locale.ROOT, " %3d%%", (int) (part * 100));
    }

    private static String timeLeft(SweepProgress sweep) {
        Duration left = sweep.state() == SweepState.RUNNING ? sweep.timeLeft() : null;
        return left == null ? "" : TopText.duration(left);
    }

    @Override
    public List<String> details(TopRow row, Instant now) {
        SweepProgress sweep = sweeps.find(row.id()).orElse(null);
        if (sweep == null) return List.of("There is no sweep " + TopText.line(row.id()) + " any more.");
        List<String> lines = new ArrayList<>(TopText.pairs(
                "sweep",
                sweep.name(),
                "state",
                word(sweep.state()),
                "started",
                TopText.time(sweep.started()),
                "ended",
                TopText.time(sweep.ended()),
                "rows",
                (sweep.isTotalExact() ? "" : "about ") + TopText.count(Math.max(0, sweep.total())),
                "error",
                sweep.error()));
        if (sweep.state() != SweepState.DONE) TopText.add(lines, sweeps.why(row.id()));
        lines.add("");
        lines.add("Definition");
        new TreeMap<>(sweep.definition())
                .forEach((name, value) -> lines.add("  " + TopText.line(name) + ": " + TopText.line(value)));
        for (SweepProgress.Worker each : sweep.workers()) lines.add(worker(each));
        if (sweep.failed() > 0)
            for (SweepErrorGroup each : sweeps.errorGroups(row.id(), ERRORS))
                lines.add("  " + TopText.count(each.rows()) + "x " + TopText.line(each.error()));
        return lines;
    }

    private static String worker(SweepProgress.Worker worker) {
        String held = worker.held();
        return "  worker " + worker.number() + " of " + TopText.line(worker.processName()) + ": "
                + TopText.count(worker.done()) + " done, " + TopText.count(worker.failed()) + " failed, "
                + TopText.count(Math.round(worker.rowsPerSecond())) + "/s"
                + (held == null ? "" : ", held: " + TopText.line(held));
    }

    @Override
    public TopAction action(TopVerb verb, TopRow row) {
        String name = row.id();
        String sweep = "Sweep " + TopText.line(name);
        return switch (verb) {
            case RETRY ->
                new TopAction(
                        "Try the failed rows of sweep " + TopText.line(name) + " again, from their first attempt on?",
                        () -> TopText.of(sweeps.retryFailed(name), "row", "rows") + " of " + TopText.line(name)
                                + " will be tried again.");
            case CANCEL ->
                new TopAction(
                        "Stop sweep " + TopText.line(name)
                                + "? Rows that are done stay marked, and it can be started again.",
                        () -> sweep + (sweeps.stop(name) ? " is stopped." : " was not changed: it has ended."));
            case PAUSE -> {
                if (row.tone() == TopTone.PAUSED)
                    yield new TopAction("", () -> sweep + (sweeps.resume(name) ? " goes on." : " was not paused."));
                yield new TopAction(
                        "Pause sweep " + TopText.line(name) + "? Rows that are in work are finished.",
                        () -> sweep + (sweeps.pause(name) ? " is paused." : " was not changed: it does not run."));
            }
        };
    }
}
