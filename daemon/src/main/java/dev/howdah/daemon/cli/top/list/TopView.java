package dev.howdah.daemon.cli.top.list;

import java.time.Instant;
import java.util.List;

/** A list. What it reads and does is called in the thread of {@link TopReader}, and throws what the library throws. */
public interface TopView {
    /** Such as {@code Jobs}. */
    String title();

    /** The states by which it can be limited, the first one at the beginning; empty: it has none. */
    List<String> states();

    /** What can be typed as a filter. */
    String filterHelp();

    /** Reads the first rows; {@code now} is the time of the database. */
    TopPage read(String state, String filter, int limit, Instant now);

    /** Everything about a row, and why it does not run. */
    List<String> details(TopRow row, Instant now);

    TopAction action(TopVerb verb, TopRow row);
}
