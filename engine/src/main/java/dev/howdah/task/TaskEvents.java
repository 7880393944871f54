package dev.howdah.task;

import java.util.List;
import java.util.Map;

/**
 * What became of tasks since an earlier look, see {@link TaskTable#events}.
 *
 * @param states of tasks that are new, wait to run within seconds, run, or did so at the look before; the same as there if nothing became of them
 * @param hasMore whether there are more new tasks than are named
 * @param lastId up to which id new tasks were looked for
 */
public record TaskEvents(Map<Long, TaskState> states, boolean hasMore, long lastId) {
    /** The number of tasks that are looked at again at most. */
    private static final int MOST_AGAIN = 2_000;

    /** Copies the states. */
    public TaskEvents {
        states = Map.copyOf(states);
    }

    /** The tasks that have not ended: what becomes of them is found at the next look. */
    List<Long> open() {
        return states.entrySet().stream()
                .filter(each -> switch (each.getValue()) {
                    case PLAN, TAKE, WORK -> true;
                    default -> false;
                })
                .map(Map.Entry::getKey)
                .sorted()
                .limit(MOST_AGAIN)
                .toList();
    }
}
