package dev.howdah.reach.internal.call;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Does tasks whose remotes begin with one scheme. Safe for use by many threads. */
public interface Scheme extends AutoCloseable {
    /**
     * Does the task to its end.
     *
     * @return its output; null if there is nothing to tell
     * @throws ReachFailure in words for the owner of the row
     * @throws IOException if the connection was lost
     */
    @Nullable
    String run(Call call) throws ReachFailure, IOException, InterruptedException;

    /** Closes what it keeps open. */
    @Override
    void close();
}
