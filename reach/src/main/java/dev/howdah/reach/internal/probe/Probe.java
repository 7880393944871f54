package dev.howdah.reach.internal.probe;

import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.ReachFailure;
import java.io.IOException;

/** A scheme whose targets can be tried. Safe for use by many threads. */
public interface Probe {
    /**
     * Connects and logs in as a task would, in a connection that is closed afterwards, and does nothing else there.
     *
     * @param steps takes what was done; the one that was begun last has failed if this method throws
     * @throws ReachFailure in words for an administrator
     * @throws IOException if the connection was lost
     */
    void probe(Call call, ProbeSteps steps) throws ReachFailure, IOException, InterruptedException;
}
