package dev.howdah.daemon.cli.sweep;

import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Listing;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.console.Times;
import dev.howdah.operations.listed.SweepLists;
import dev.howdah.sweep.Sweep;
import dev.howdah.sweep.SweepProgress;
import dev.howdah.sweep.SweepState;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Shows how far a sweep is: a bar on a screen, lines where there is no screen, or JSON. Not safe for use by many threads. */
final class SweepWatch {
    private enum Form {
        BAR(Duration.ofMillis(500)),
        LINES(Duration.ofSeconds(10)),
        JSON(Duration.ofSeconds(1));

        private final Duration every;

        Form(Duration every) {
            this.every = every;
        }
    }

    private static final int BAR = 20;
    private static final String ERASE = "\u001b[K";

    private final Terminal terminal;
    private final Form form;
    private final int width;

    private SweepWatch(Terminal terminal, Form form, int width) {
        this.terminal = terminal;
        this.form = form;
        this.width = width;
    }

    static SweepWatch on(Terminal terminal, boolean json) {
        if (json) return new SweepWatch(terminal, Form.JSON, 0);
        return terminal.screen().getAsBoolean()
                ? new SweepWatch(terminal, Form.BAR, terminal.width().getAsInt())
                : new SweepWatch(terminal, Form.LINES, 0);
    }

    /** How long to wait before the next look. */
    Duration every() {
        return form.every;
    }

    /**
     * Shows how far it is.
     *
     * @param here how many rows this process has done
     */
    void show(SweepProgress progress, long here) {
        switch (form) {
            case BAR -> {
                String line = bar(progress);
                // The cursor stays in front of the line, so that other output begins a new one.
                print(terminal.err(), (line.length() < width ? line : line.substring(0, width - 1)) + ERASE + "\r");
            }
            case LINES -> print(terminal.err(), progress.name() + ": " + String.join(", ", words(progress)) + "\n");
            case JSON -> print(terminal.out(), Json.line(fields(progress, here)) + "\n");
        }
    }

    /** Shows how it ended; afterwards the line is free for other output. */
    void end(SweepProgress progress, Sweep sweep, Duration lasted) {
        long here = sweep.doneHere();
        if (form == Form.JSON) {
            show(progress, here);
            return;
        }
        if (form == Form.BAR) print(terminal.err(), ERASE);
        Instant before = endedBefore(progress, sweep);
        String what = before != null
                ? ", nothing was to do: it had ended at " + Times.local(before) + ", with "
                : ", " + count(here) + (here == 1 ? " row" : " rows") + " here in " + text(lasted) + ", ";
        String failed = progress.failed() == 0 ? "" : ", " + count(progress.failed()) + " have failed";
        print(
                terminal.out(),
                progress.name() + ": " + said(progress.state()) + what + count(progress.done()) + " in all" + failed
                        + (before == null ? "" : "; --again begins anew") + "\n");
    }

    /** When a sweep had ended that was started again and found nothing to do; null if it has done something, or is not over. */
    static @Nullable Instant endedBefore(SweepProgress progress, Sweep sweep) {
        return progress.state() == SweepState.DONE && sweep.doneHere() == 0 ? sweep.doneBefore() : null;
    }

    private static String said(SweepState state) {
        return state == SweepState.RUNNING ? "not over" : state.name().toLowerCase(Locale.ROOT);
    }

    private static void print(PrintStream stream, String text) {
        stream.print(text);
        stream.flush();
    }

    private static String bar(SweepProgress progress) {
        int filled = progress.total() < 0 ? 0 : (int) (part(progress) * BAR);
        return "[" + "#".repeat(filled) + "-".repeat(BAR - filled) + "] " + String.join("  ", words(progress));
    }

    private static double part(SweepProgress progress) {
        if (progress.state() == SweepState.DONE) return 1;
        double part = (progress.done() + progress.failed()) / (double) Math.max(progress.total(), 1);
        // What has come since is not counted, and an estimate is none.
        return Math.min(part, progress.isTotalExact() ? 1 : 0.999);
    }

    private static List<String> words(SweepProgress progress) {
        List<String> words = new ArrayList<>();
        long over = progress.done() + progress.failed();
        if (progress.total() < 0) words.add(count(over) + " rows");
        else {
            words.add((int) (part(progress) * 100) + " %");
            words.add(count(over) + " of " + (progress.isTotalExact() ? "" : "about ") + count(progress.total()));
        }
        String held = progress.held();
        Duration left = progress.timeLeft();
        if (progress.state() == SweepState.PAUSED) words.add("paused");
        else if (held != null) words.add("waits: " + held);
        else {
            words.add(count(Math.round(progress.rowsPerSecond())) + " rows/s");
            if (left != null) words.add(text(left) + " left");
        }
        if (progress.failed() > 0) words.add(count(progress.failed()) + " failed");
        long processes = SweepLists.processes(progress);
        if (processes > 1) words.add(processes + " processes");
        return words;
    }

    private static Map<String, @Nullable Object> fields(SweepProgress progress, long here) {
        Map<String, @Nullable Object> fields = Listing.of(SweepLists.SWEEP).fields(progress);
        fields.put("done_here", here);
        return fields;
    }

    static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** A length of time for people. */
    static String text(Duration time) {
        long seconds = time.toSeconds();
        if (seconds < 60) return seconds + " s";
        if (seconds < 3_600) return seconds / 60 + " min " + seconds % 60 + " s";
        return seconds < 86_400
                ? seconds / 3_600 + " h " + seconds % 3_600 / 60 + " min"
                : seconds / 86_400 + " d " + seconds % 86_400 / 3_600 + " h";
    }
}
