package dev.howdah.task.internal.model;

import dev.howdah.task.TaskState;
import org.jspecify.annotations.Nullable;

/**
 * A task that is ours to run, as its row was when it was claimed.
 *
 * @param live seconds
 * @param timeoutMillis for each statement; 0 for none
 * @param retries whether something may follow when it fails: another attempt, or another task
 * @param durationMillis for all of it; 0 for none
 * @param delimiter the byte between columns, as a signed number; 0 for none; quote and escape alike
 * @param owner whose rights it has; null for the scheduler's role
 * @param attempt the number of this attempt, from 1 on; 0 if it was not asked for
 */
public record ClaimedTask(
        long id,
        GroupKey lane,
        String input,
        int max,
        int count,
        double live,
        int timeoutMillis,
        boolean save,
        boolean header,
        boolean string,
        int delimiter,
        int escape,
        int quote,
        String nullText,
        boolean repeats,
        boolean retries,
        boolean once,
        long durationMillis,
        @Nullable String owner,
        int attempt) {

    /** Returns whether its session may pick another task after it. */
    public boolean mayGoOn() {
        return max >= 0 && (count > 0 || live > 0);
    }

    /** Returns whether more than its own row changes when it ends like that. */
    public boolean endsAlone(TaskState end) {
        return max < 0 || repeats || (retries && end == TaskState.FAIL);
    }
}
