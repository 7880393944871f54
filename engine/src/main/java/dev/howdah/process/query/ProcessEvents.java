package dev.howdah.process.query;

import java.util.List;

/**
 * What became of processes since an earlier look, see {@link dev.howdah.process.ProcessReader#events}.
 *
 * @param processes those that are new, wait for a node, or that a node works on, and those that did so lately; the same as at the
 *     look before if nothing became of them
 * @param hasMore whether there are more new processes than are named
 * @param seen which numbers and transactions the look has seen, as the next look reads it
 * @param watched the numbers of the processes that are looked at again
 */
public record ProcessEvents(List<ProcessEvent> processes, boolean hasMore, String seen, List<Long> watched) {
    /** The number of processes that are looked at again at most: those that were looked at last. */
    private static final int MOST_AGAIN = 1_000;

    /** Copies the lists, the latter up to a bound. */
    public ProcessEvents {
        processes = List.copyOf(processes);
        watched = List.copyOf(watched.subList(Math.max(0, watched.size() - MOST_AGAIN), watched.size()));
    }
}
