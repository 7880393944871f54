package dev.howdah.daemon.cli.sweep;

import dev.howdah.spi.RetryPolicy;
import dev.howdah.sweep.SweepBuilder;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that say how much a sweep does at a time, and when it steps back. */
final class SweepLimits {
    @Option(
            names = "--workers",
            paramLabel = "N",
            defaultValue = "4",
            description =
                    "Number of workers in this process, each with a connection of its own (default: ${DEFAULT-VALUE}).")
    private int workers;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "100",
            description = "Maximum batch size (default: ${DEFAULT-VALUE}).")
    private int batch;

    @Option(
            names = "--attempts",
            paramLabel = "N",
            defaultValue = "3",
            description = "Maximum attempts of a row (default: ${DEFAULT-VALUE}).")
    private int attempts;

    @Option(
            names = "--skip",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description =
                    "How long a row is skipped after its first failure; twice as long after the second, three times"
                            + " after the third, and so on (default: ${DEFAULT-VALUE}).")
    private int skip;

    @Option(
            names = "--max-failures",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Fail the sweep when so many rows in a row have failed their first attempt; 0: never"
                    + " (default: ${DEFAULT-VALUE}).")
    private int maxFailures;

    @Option(
            names = "--max-failed-rows",
            paramLabel = "N",
            defaultValue = "0",
            description = "Fail the sweep when so many rows have failed for good, all processes together; 0: never"
                    + " (default: ${DEFAULT-VALUE}).")
    private long maxFailedRows;

    @Option(
            names = "--max-rest",
            paramLabel = "SECONDS",
            defaultValue = "3600",
            description =
                    "Leave the sweep with exit code 75 when the receiver of rows has been unavailable for so long;"
                            + " 0: never (default: ${DEFAULT-VALUE}).")
    private int maxRest;

    @Option(
            names = "--between",
            paramLabel = "HOURS",
            description = "Begin rows at these times of the day only, in all processes: \"22:00-06:00 Europe/Berlin\","
                    + " several with commas, or always (default: the value that was set before, or always).")
    private @Nullable String hours;

    @Option(
            names = "--throttle",
            paramLabel = "ROWS",
            description = "Maximum rows per second, all processes together (default: the value that was set before,"
                    + " or none).")
    private @Nullable Double throttle;

    @Option(
            names = "--max-lag",
            paramLabel = "SECONDS",
            description = "Begin nothing while a standby is farther behind than that.")
    private @Nullable Integer lag;

    @Option(
            names = "--yield-to-maintenance",
            description = "Begin nothing while VACUUM, automatic or not, or the like works on the table.")
    private boolean maintenance;

    @Option(
            names = "--back-off-while",
            paramLabel = "QUERY",
            description = "Begin nothing while this SELECT returns true, or fails.")
    private @Nullable String query;

    @Option(
            names = "--grace",
            paramLabel = "SECONDS",
            defaultValue = "30",
            description = "Shutdown timeout: how long rows in work may take after Ctrl-C (default: ${DEFAULT-VALUE}).")
    private int grace;

    @Option(
            names = "--anyway",
            description = "Start although a useful index is missing, or the key is not known to be unique.")
    private boolean anyway;

    void tell(SweepBuilder builder) {
        builder.workers(workers)
                .batch(batch)
                .retries(retries())
                .maxFailures(maxFailures)
                .maxFailedRows(maxFailedRows)
                .shutdownTimeout(shutdownTimeout());
        Duration outage = maxOutage();
        if (outage != null) builder.maxOutage(outage);
        if (hours != null) builder.between(hours);
        if (throttle != null) builder.maxRowsPerSecond(throttle);
        if (lag != null) builder.maxReplicationLag(Duration.ofSeconds(lag));
        if (maintenance) builder.yieldToMaintenance();
        if (query != null) builder.backOffWhile(query);
        if (anyway) builder.force();
    }

    /** How long the receiver of rows may be unavailable; null: without end. */
    @Nullable
    Duration maxOutage() {
        if (maxRest < 0)
            throw new IllegalArgumentException("--max-rest " + maxRest + ": it has to be 1 or more, or 0 for never");
        return maxRest == 0 ? null : Duration.ofSeconds(maxRest);
    }

    Duration shutdownTimeout() {
        return Duration.ofSeconds(grace);
    }

    RetryPolicy retries() {
        if (attempts < 1 || attempts > 1_000 || skip < 0)
            throw new IllegalArgumentException(
                    attempts + " attempts, " + skip + " s apart: it has to be 1 to 1000, not less than 0 apart");
        return RetryPolicy.linear(Duration.ofSeconds(skip), attempts);
    }
}
