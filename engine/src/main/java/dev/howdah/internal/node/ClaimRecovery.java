package dev.howdah.internal.node;

import dev.howdah.internal.connection.DedicatedSession;
import java.sql.SQLException;

/** Gives the claims of one dead node back, for one feature. For one thread at a time, and one recovery. */
public interface ClaimRecovery {
    /**
     * Ends sessions in which the dead node still works, whose locks would delay the recovery. Runs in a transaction in which no
     * other node recovers these claims.
     */
    default void endSessions(DedicatedSession open) throws SQLException {}

    /**
     * Gives a part of the claims back, in a transaction that the caller commits.
     *
     * @param counts whether the end of the node counts as a failure of its work
     * @return whether there may be more
     */
    boolean next(DedicatedSession open, boolean counts) throws SQLException;

    /** The last part is committed. */
    default void committed() {}

    /** Returns whether claims are left that a transaction of the dead node still holds. */
    default boolean isHeldUp(DedicatedSession open) throws SQLException {
        return false;
    }

    /**
     * All parts are committed.
     *
     * @param complete whether nothing is held up
     */
    void ended(DedicatedSession open, boolean complete) throws SQLException;
}
