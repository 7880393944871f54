package dev.howdah.operations.read;

import java.util.List;

/**
 * A job that was added, or would be.
 *
 * @param id of the job, or of the one that has its key
 * @param isNew whether it was added; false: another one has its key
 * @param causes why it does not run at once
 */
public record AddedJob(long id, boolean isNew, List<String> causes) {
    public AddedJob {
        causes = List.copyOf(causes);
    }
}
