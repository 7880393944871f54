package dev.howdah.daemon.cli.job;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of a schedule for holidays and changes of the clocks. */
final class ClockOptions {
    @Option(
            names = "--skipped-hour",
            paramLabel = "POLICY",
            defaultValue = "run",
            description = "For times that the clocks leave out: run or skip (default: ${DEFAULT-VALUE}).")
    private String skippedHour = "run";

    @Option(
            names = "--doubled-hour",
            paramLabel = "POLICY",
            defaultValue = "first",
            description = "For times that occur twice: first or both (default: ${DEFAULT-VALUE}).")
    private String doubledHour = "first";

    @Option(names = "--calendar", paramLabel = "CALENDAR", description = "Leave out the days of this calendar.")
    private @Nullable String calendar;

    @Option(
            names = "--on-holiday",
            paramLabel = "POLICY",
            defaultValue = "skip",
            description = "For times on days of the calendar: skip or next_day (default: ${DEFAULT-VALUE}).")
    private String onHoliday = "skip";

    String skippedHour() {
        return skippedHour;
    }

    String doubledHour() {
        return doubledHour;
    }

    @Nullable
    String calendar() {
        return calendar;
    }

    String onHoliday() {
        return onHoliday;
    }

    /** Returns whether all of them are the defaults. */
    boolean isPlain() {
        return calendar == null && skippedHour.equals("run") && doubledHour.equals("first") && onHoliday.equals("skip");
    }
}
