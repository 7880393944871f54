package dev.howdah.console.internal.bulk;

import org.jspecify.annotations.Nullable;

/**
 * What is asked before a change of all that match.
 *
 * @param objects what is done with which objects, with their number where it is known
 * @param count how many there are; null: too many to be counted
 */
public record BulkQuestion(String objects, @Nullable Long count) {
    /** What a person has to type; empty: nothing. */
    public String proof() {
        return BulkPages.proof(count);
    }
}
