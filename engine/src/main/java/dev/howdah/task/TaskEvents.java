package dev.howdah.task;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What became of tasks since an earlier look, see {@link TaskTable#events}.
 *
 * @param states of tasks that are new, wait to run within seconds, run, or did so at the look before; the same as there if nothing became of them
 * @param added those of them that were added or written since the look before, or a little earlier
 * @param hasMore whether there are more of these than are named
 * @param seen which ids and transactions the look has seen, as the next look reads it
 */
public record TaskEvents(Map<Long, TaskState> states, Set<Long> added, boolean hasMore, String seen) {
    /** The number of tasks that are looked at again at most. */
    private static final int MOST_AGAIN = 2_000;

    /** Copies the states and the ids. */
    public TaskEvents {
        states = Map.copyOf(states);
        added = Set.copyOf(added);
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
