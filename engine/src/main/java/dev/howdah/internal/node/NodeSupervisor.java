package dev.howdah.internal.node;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.error.OutageLog;
import dev.howdah.internal.run.Threads;
import java.sql.SQLException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one node running: starts another when it has lost its id. Runs periodic work as well, with whichever node there is. Safe for use by many threads.
 *
 * @param <N> the nodes of the feature
 */
public final class NodeSupervisor<N> {
    private static final Logger log = LoggerFactory.getLogger(NodeSupervisor.class);
    private static final long AGAIN_MILLIS = 1_000;

    private final OutageLog outage = new OutageLog(log, "nodes");
    private final NodeMembership membership;
    private final Maker<N> maker;
    private final ToIntFunction<N> id;
    private final Function<N, @Nullable String> obstacle;
    private final Consumer<N> abandon;
    private final ScheduledExecutorService clockwork;
    /** Apart from the clockwork, all threads of which may wait for a server that is frozen. */
    private final ScheduledExecutorService restarts;

    private volatile @Nullable N node;
    private boolean closed;

    /** Begins to be a node. */
    public interface Maker<N> {
        /** @param lost called once, in another thread, when the node has lost its id */
        N start(NodeMembership membership, Runnable lost) throws SQLException;
    }

    /**
     * @param threads the name of the threads that run periodic work
     * @param clocks the number of threads: a task that waits for the database delays no other one
     * @param membership of the feature; closed at the end
     * @param id of a node
     * @param obstacle why a node cannot work now; null: it can
     * @param abandon ends a node whose work others have
     */
    public NodeSupervisor(
            String threads,
            int clocks,
            NodeMembership membership,
            Maker<N> maker,
            ToIntFunction<N> id,
            Function<N, @Nullable String> obstacle,
            Consumer<N> abandon) {
        this.membership = membership;
        this.maker = maker;
        this.id = id;
        this.obstacle = obstacle;
        this.abandon = abandon;
        this.restarts = Threads.clock(threads + "-restart", 1);
        this.clockwork = Threads.clock(threads, clocks);
    }

    /** The first node. */
    public synchronized void start() throws SQLException {
        try {
            node = maker.start(membership, this::lost);
        } catch (SQLException | RuntimeException e) {
            membership.close();
            throw e;
        }
    }

    /** Does it again and again, with a pause after each time, also after it has thrown something. */
    public void every(long first, long pause, TimeUnit unit, Runnable work) {
        clockwork.scheduleWithFixedDelay(work, first, pause, unit);
    }

    /** The node that there is; null: there is none now. */
    public @Nullable N node() {
        return node;
    }

    /** The id of the node; 0: there is none now. */
    public int id() {
        N now = node;
        return now == null ? 0 : id.applyAsInt(now);
    }

    /** Why there is no node, or why the one that there is cannot work now; null: it works. */
    public @Nullable String obstacle() {
        N now = node;
        if (now != null) return obstacle.apply(now);
        String reason = outage.reason();
        return reason == null ? "no node: the last one was lost" : reason;
    }

    private synchronized void lost() {
        N gone = node;
        if (closed || gone == null) return;
        log.warn("node {} was lost; its work waits for a node", id.applyAsInt(gone));
        node = null;
        abandon.accept(gone);
        again();
    }

    private synchronized void again() {
        if (closed) return;
        try {
            node = maker.start(membership, this::lost);
            outage.worked();
        } catch (SQLException | RuntimeException | Error e) {
            outage.failed("no node could be started", ErrorText.line(e));
            Threads.survived(e);
            restarts.schedule(this::again, AGAIN_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** From now on no other one follows. The last one, to be stopped before the {@link #end}; null: there is none, or it is closed already. */
    public synchronized @Nullable N close() {
        if (closed) return null;
        closed = true;
        N last = node;
        if (last == null) end();
        return last;
    }

    /** The last one has stopped. */
    public void end() {
        clockwork.shutdownNow();
        restarts.shutdownNow();
        membership.close();
        node = null;
    }
}
