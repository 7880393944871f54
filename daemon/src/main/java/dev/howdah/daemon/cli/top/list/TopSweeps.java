package dev.howdah.daemon.cli.top.list;

import dev.howdah.health.Cause;
import dev.howdah.operations.Engine;
import dev.howdah.operations.Values;
import dev.howdah.operations.change.SweepOperations;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.listed.SweepLists;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.sweep.SweepErrorGroup;
import dev.howdah.sweep.SweepProgress;
import dev.howdah.sweep.SweepState;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;

/** Sweeps, in the order of their starts. */
public final class TopSweeps extends TopList<SweepProgress> {
    private static final int BAR = 20;
    private static final int ERRORS = 10;

    public TopSweeps(Engine engine) {
        super(
                engine,
                SweepLists.SWEEPS,
                SweepLists.SWEEP.of("progress", FieldType.TEXT, "how far it is", TopSweeps::bar),
                "name state progress:3 done failed:1 left:1 rows_per_second:2 time_left workers:2 error:4");
    }

    private static String bar(SweepProgress sweep) {
        if (sweep.total() <= 0) return "";
        double part = Math.min(1, (double) (sweep.done() + sweep.failed()) / sweep.total());
        if (sweep.state() == SweepState.DONE) part = 1;
        int full = (int) (part * BAR);
        return "#".repeat(full) + ".".repeat(BAR - full) + String.format(Locale.ROOT, " %3d%%", (int) (part * 100));
    }

    @Override
    public String title() {
        return "Sweeps";
    }

    @Override
    public String filterHelp() {
        return "a part of the name";
    }

    @Override
    String summary() {
        List<SweepProgress> all = engine().sweeps().list();
        long running =
                all.stream().filter(each -> each.state() == SweepState.RUNNING).count();
        return TopText.of(all.size(), "sweep", "sweeps") + ", " + TopText.count(running) + " running";
    }

    @Override
    TopRow row(SweepProgress sweep, List<String> cells) {
        return new TopRow("", sweep.name(), TopTone.of(ListModel.word(sweep.state())), cells);
    }

    @Override
    Optional<SweepProgress> find(TopRow row) {
        return engine().sweeps().find(row.id());
    }

    @Override
    List<Cause> why(SweepProgress sweep) {
        return sweep.state() == SweepState.DONE ? List.of() : engine().sweeps().why(sweep.name());
    }

    @Override
    void addMore(List<String> lines, SweepProgress sweep) {
        lines.add("");
        lines.add("Definition");
        new TreeMap<>(sweep.definition())
                .forEach((name, value) -> lines.add("  " + TopText.line(name) + ": " + TopText.line(value)));
        for (SweepProgress.Worker each : sweep.workers()) lines.add(worker(each));
        if (sweep.failed() > 0)
            for (SweepErrorGroup each : engine().sweeps().errorGroups(sweep.name(), ERRORS))
                lines.add("  " + TopText.count(each.rows()) + "x " + TopText.line(each.error()));
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
        Values key = SweepOperations.key(row.id());
        return switch (verb) {
            case RETRY -> action(SweepOperations.RETRY_FAILED, key);
            case CANCEL -> action(SweepOperations.STOP, key);
            case PAUSE -> action(row.tone() == TopTone.PAUSED ? SweepOperations.RESUME : SweepOperations.PAUSE, key);
        };
    }
}
