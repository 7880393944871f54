package dev.howdah.job.internal.handler;

import dev.howdah.job.internal.attempt.RecordRoom;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a handler goes on with jobs that earlier runs have worked on.
 *
 * @param versions of handlers with whose jobs it goes on when they have waited, its own one first; none: all
 * @param priority that of jobs that have waited; null: the one with which they were added
 * @param isStrict whether a job that has not waited diverges too where its steps do not fit
 * @param throwsCancel whether a job that waits is told in one more run that it is cancelled
 * @param limits of what a job may record
 */
public record ResumeOptions(
        List<String> versions,
        @Nullable Integer priority,
        boolean isStrict,
        boolean throwsCancel,
        RecordRoom.Limits limits) {
    /** Whether it goes on with jobs that have waited under a handler of that version; null: that had none. */
    public boolean goesOnWith(@Nullable String version) {
        return version == null || versions.isEmpty() || versions.contains(version);
    }

    /** Its own version; null: it has none. */
    public @Nullable String version() {
        return versions.isEmpty() ? null : versions.get(0);
    }
}
