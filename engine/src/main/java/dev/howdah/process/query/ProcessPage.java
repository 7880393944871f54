package dev.howdah.process.query;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of processes.
 *
 * @param processes in the order of the query
 * @param next the query of the next page; null: there is none
 * @param first the place of the first process: the query in the {@linkplain ProcessOrder#opposite opposite} order {@linkplain ProcessQuery#after after} it gives the page before this one, backwards; null: it has none
 * @param isSearched whether the page was ended by the bound on the processes that it looks at: {@code next} goes on behind them
 */
public record ProcessPage(
        List<ProcessSummary> processes,
        @Nullable ProcessQuery next,
        @Nullable String first,
        boolean isSearched) {
    /** Copies the list. */
    public ProcessPage {
        processes = List.copyOf(processes);
    }
}
