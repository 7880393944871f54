package dev.howdah.daemon.cli.top.list;

import java.util.function.Supplier;

/**
 * Something that can be done with a row.
 *
 * @param question that is asked before; empty: none
 * @param run does it, and says what came of it
 */
public record TopAction(String question, Supplier<String> run) {
    /** What is only said: it cannot be done. */
    public static TopAction refused(String sentence) {
        return new TopAction("", () -> sentence);
    }
}
