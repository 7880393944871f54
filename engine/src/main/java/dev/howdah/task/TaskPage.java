package dev.howdah.task;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of tasks.
 *
 * @param tasks in the order of the list, with their texts cut
 * @param next the query of the next page; null: there is none
 * @param first the place of the first task: the query in the {@linkplain TaskQuery.Order#opposite opposite} order {@linkplain TaskQuery#after after} it gives the page before this one, backwards; null: it has none
 * @param searchedTo if the page was ended by the bound on the tasks it looks at: the id of the last one it has looked at; 0: it was not
 */
public record TaskPage(
        List<Task> tasks,
        @Nullable TaskQuery next,
        @Nullable String first,
        long searchedTo) {
    /** Copies the list. */
    public TaskPage {
        tasks = List.copyOf(tasks);
    }

    static TaskPage of(TaskQuery query, List<Task> tasks, long searched) {
        String first = tasks.isEmpty() ? null : query.behind(tasks.get(0));
        if (tasks.size() == query.limit())
            return new TaskPage(tasks, query.after(query.behind(tasks.get(tasks.size() - 1))), first, 0);
        if (searched == 0) return new TaskPage(tasks, null, first, 0);
        return new TaskPage(tasks, query.after(Long.toString(searched)), first, searched);
    }
}
