package dev.howdah.daemon.cli.sweep;

import dev.howdah.daemon.console.Listing;
import dev.howdah.sweep.SweepProgress;
import dev.howdah.sweep.SweepState;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The columns of the lists of sweeps. */
final class SweepListings {
    static final Listing<SweepProgress> SWEEPS = new Listing<SweepProgress>()
            .text("name", SweepProgress::name)
            .text("state", sweep -> word(sweep.state()))
            .number("done", SweepProgress::done)
            .number("failed", SweepProgress::failed)
            .number("left", sweep -> sweep.left() < 0 ? null : sweep.left())
            .number("rows_per_second", sweep -> Math.round(sweep.rowsPerSecond()))
            .shown(sweep -> sweep.workers().isEmpty() ? null : Math.round(sweep.rowsPerSecond()))
            .text(
                    "time_left",
                    sweep -> sweep.timeLeft() == null ? null : sweep.timeLeft().toSeconds())
            .shown(SweepListings::timeLeft)
            .number("workers", sweep -> sweep.workers().size())
            .text("started", SweepProgress::started)
            .text("held", SweepProgress::held)
            .text("ended", SweepProgress::ended)
            .number("total", sweep -> sweep.total() < 0 ? null : sweep.total())
            .text("exact", SweepProgress::isTotalExact)
            .number("processes", SweepListings::processes)
            .text("error", SweepProgress::error)
            .wide("workers started")
            .more("ended total exact processes error");

    static final Listing<SweepProgress.Worker> WORKERS = new Listing<SweepProgress.Worker>()
            .number("process", SweepProgress.Worker::process)
            .text("process_name", SweepProgress.Worker::processName)
            .number("worker", SweepProgress.Worker::number)
            .number("done", SweepProgress.Worker::done)
            .number("failed", SweepProgress.Worker::failed)
            .number("rows_per_second", worker -> Math.round(worker.rowsPerSecond()))
            .text("held", SweepProgress.Worker::held);

    private SweepListings() {}

    static String word(SweepState state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    static @Nullable String timeLeft(SweepProgress sweep) {
        Duration left = sweep.ended() == null ? sweep.timeLeft() : null;
        return left == null ? null : SweepWatch.text(left);
    }

    static long processes(SweepProgress sweep) {
        return sweep.workers().stream()
                .map(SweepProgress.Worker::process)
                .distinct()
                .count();
    }
}
