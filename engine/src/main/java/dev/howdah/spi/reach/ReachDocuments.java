package dev.howdah.spi.reach;

import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Templates and documents in the database of a task, as far as its owner may use them. Safe for use by many threads. */
public interface ReachDocuments {
    /**
     * A template.
     *
     * @param version null for the newest
     * @return null if there is none, or the owner may not read templates
     */
    @Nullable
    ReachTemplate template(String name, @Nullable Integer version) throws SQLException;

    /**
     * A document.
     *
     * @return null if there is none, or it is of another owner
     */
    @Nullable
    ReachDocument document(UUID id) throws SQLException;

    /**
     * The document that a task has made, or an attempt of it.
     *
     * @param task the id of the first attempt
     * @return null if there is none, or it is of another owner
     */
    @Nullable
    ReachDocument documentOf(long task) throws SQLException;

    /**
     * Keeps the document of this task. Where an earlier run has kept one that remains, and this one is thrown away.
     *
     * @param pages how many it has; 0 where it has none
     * @param template of which it was made; null for one that came from elsewhere
     * @param keep for how long; null for ever
     * @return by which it is found
     */
    UUID add(ReachDocument document, int pages, @Nullable ReachTemplate template, @Nullable Duration keep)
            throws SQLException;

    /** None, and no place for any. */
    static ReachDocuments none() {
        return new ReachDocuments() {
            @Override
            public @Nullable ReachTemplate template(String name, @Nullable Integer version) {
                return null;
            }

            @Override
            public @Nullable ReachDocument document(UUID id) {
                return null;
            }

            @Override
            public @Nullable ReachDocument documentOf(long task) {
                return null;
            }

            @Override
            public UUID add(
                    ReachDocument document, int pages, @Nullable ReachTemplate template, @Nullable Duration keep)
                    throws SQLException {
                throw new SQLException("there is no place for documents", "42P01");
            }
        };
    }
}
