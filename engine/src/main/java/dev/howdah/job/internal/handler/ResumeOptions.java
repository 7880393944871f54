package dev.howdah.job.internal.handler;

import dev.howdah.job.internal.attempt.OpenWait;
import dev.howdah.job.internal.attempt.RecordRoom;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a handler goes on with jobs that earlier runs have worked on.
 *
 * @param versions of handlers with whose jobs it goes on when they have waited, its own one first; none: all
 * @param isStrict whether a job that has not waited diverges too where its steps do not fit
 * @param waiting what holds for jobs that wait
 * @param limits of what a job may record
 */
public record ResumeOptions(
        List<String> versions, boolean isStrict, OpenWait.Waiting waiting, RecordRoom.Limits limits) {
    /** Whether it goes on with jobs that have waited under a handler of that version; null: that had none. */
    public boolean goesOnWith(@Nullable String version) {
        return version == null || versions.isEmpty() || versions.contains(version);
    }
}
