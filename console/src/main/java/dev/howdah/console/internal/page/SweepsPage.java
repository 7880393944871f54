package dev.howdah.console.internal.page;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.console.internal.view.Times;
import dev.howdah.sweep.SweepProgress;
import dev.howdah.sweep.SweepState;
import java.time.Duration;
import java.util.List;

/** The sweeps: {@code /sweeps}. */
public final class SweepsPage implements PageController {
    private final ConsoleData data;
    private final ConsoleQueries queries;

    SweepsPage(ConsoleData data, ConsoleQueries queries) {
        this.data = data;
        this.queries = queries;
    }

    /** What the template shows. */
    public record Model(List<SweepProgress> sweeps) {
        public double share(SweepProgress sweep) {
            return SweepsPage.share(sweep);
        }

        public String left(SweepProgress sweep) {
            return SweepsPage.left(sweep);
        }
    }

    /** The part of its rows that is done, from 0 to 1; 0 if their number is not known. */
    static double share(SweepProgress sweep) {
        if (sweep.total() <= 0) return 0;
        return Math.min(1, (double) (sweep.done() + sweep.failed()) / sweep.total());
    }

    /** How much is left, and how long that takes at the rate of late; empty if it does not run. */
    static String left(SweepProgress sweep) {
        if (sweep.state() != SweepState.RUNNING || sweep.total() < 0) return "";
        long rows = Math.max(0, sweep.total() - sweep.done() - sweep.failed());
        String about = sweep.isTotalExact() ? "" : "about ";
        if (sweep.rowsPerSecond() <= 0) return about + Numbers.count(rows) + " rows left";
        Duration time = Duration.ofSeconds((long) Math.ceil(rows / sweep.rowsPerSecond()));
        return about + Numbers.count(rows) + " rows left, about " + Times.duration(time) + " at the rate of late";
    }

    @Override
    public Page page(PageRequest request) {
        return new Page("Sweeps", Section.SWEEPS, new Part("sweeps", "sweeps.jte", this::model));
    }

    private Model model() {
        return new Model(queries.installed().sweeps() ? data.sweeps().list() : List.of());
    }
}
