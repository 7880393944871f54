package dev.howdah.spi.reach;

import java.time.Duration;

/**
 * A task to be done elsewhere.
 *
 * @param remote as it stands in the row
 * @param owner the name of the role whose task it is
 * @param timeout of the whole run; zero where the row has none
 * @param key the same in every attempt of this task and in no other task: for the receiver, which sees by it that it has had
 *     the task already; up to 60 letters, digits and hyphens
 * @param attempt the number of this attempt, from 1 on; runs that were lost with the program are not counted
 * @param rows how rows become output, where there are some
 * @param documents those that its owner may use
 */
public record ReachTask(
        long id,
        String remote,
        String input,
        String owner,
        String group,
        Duration timeout,
        String key,
        int attempt,
        RowFormat rows,
        ReachDocuments documents) {}
