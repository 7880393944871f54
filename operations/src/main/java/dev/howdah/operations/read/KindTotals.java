package dev.howdah.operations.read;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What has become of the jobs of a kind in some time.
 *
 * @param run how long those ran that are done, in all
 * @param longest the longest of them
 */
public record KindTotals(String kind, long done, long retried, long failed, Duration run, Duration longest) {
    /** How long a job that is done ran on average; null: none is. */
    public @Nullable Duration average() {
        return done == 0 ? null : run.dividedBy(done);
    }
}
