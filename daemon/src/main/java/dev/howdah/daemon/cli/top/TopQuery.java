package dev.howdah.daemon.cli.top;

import dev.howdah.daemon.cli.top.list.TopPage;
import dev.howdah.daemon.cli.top.list.TopView;
import java.time.Instant;

/**
 * What of a list is to be read.
 *
 * @param state one of those of the view; empty if it has none
 * @param filter as it was typed; empty: none
 * @param limit the number of rows
 */
record TopQuery(TopView view, String state, String filter, int limit) {
    TopPage read(Instant now) {
        return view.read(state, filter, limit, now);
    }
}
