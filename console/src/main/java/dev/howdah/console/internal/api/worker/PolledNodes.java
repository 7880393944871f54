package dev.howdah.console.internal.api.worker;

import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.run.Threads;
import dev.howdah.job.JobsException;
import dev.howdah.job.query.JobSummary;
import dev.howdah.operations.read.ClaimedDetails;
import dev.howdah.operations.read.EngineReads;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The nodes that claim for workers, started when they are asked for, and the claims by their tokens. Safe for use by many threads. */
public final class PolledNodes implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(PolledNodes.class);

    private static final int MOST_NODES = 20;

    /** Connections that a node may take. */
    private static final int EACH_NODE = 4;

    /** Connections of the server that nodes leave to others. */
    private static final int OF_OTHERS = 5;

    private static final int MOST_POLLS = 1_000;

    /** Where there is no room for another set, for so long. */
    private static final long IDLE_IF_FULL_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** The end of a claim may be sent again for so long. */
    private static final long REMEMBERED_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final String SAME_SETS =
            "let workers ask for the same sets, such as one of all their kinds; a set is free again a minute after its last request";

    /**
     * What a node serves.
     *
     * @param versions of the handlers, the own one first; none: all
     */
    record Served(Set<String> queues, Set<String> kinds, List<String> versions) {}

    private final ConsoleData data;
    private final DataSource sessions;
    private final EngineReads queries;
    /** Changed under the lock of this object, which is held while a node starts; read without it. */
    private final Map<Served, PolledNode> nodes = new ConcurrentHashMap<>();

    private final Map<String, HttpClaim> claims = new ConcurrentHashMap<>();
    private final ScheduledExecutorService clock = Threads.clock("howdah-http-workers", 2);
    private final ExecutorService answers = Executors.newCachedThreadPool(Threads.platform("howdah-http-workers"));
    private final KeyedPolls keyed = new KeyedPolls(answers);
    private final DetailsReader details = new DetailsReader(this::read, answers);
    private boolean closed;

    /** @param sessions of the nodes: not those of the pages, which would have none left */
    public PolledNodes(ConsoleData data, DataSource sessions) {
        this.data = data;
        this.sessions = sessions;
        this.queries = new EngineReads(data.source(), data.schema());
        clock.scheduleWithFixedDelay(this::clean, 5, 5, TimeUnit.SECONDS);
        clock.scheduleWithFixedDelay(this::endGone, 1, 1, TimeUnit.SECONDS);
    }

    /** Requests with a key. */
    KeyedPolls keyed() {
        return keyed;
    }

    /** Where answers are written that had to wait: not in the threads of nodes. */
    ExecutorService answers() {
        return answers;
    }

    /** Adds a request for jobs. */
    synchronized void add(Served served, WaitingPoll poll, long waitMillis) {
        if (closed) throw unavailable("this server ends");
        checkPolls(poll.caller());
        PolledNode node = nodes.get(served);
        if (node == null) {
            if (!queries.installed().jobs())
                throw new ApiProblemException(
                        409,
                        "not-installed",
                        "this database has no tables of jobs: /features/jobs/install creates them");
            makeRoom(poll.caller());
            node = started(served);
            nodes.put(served, node);
        }
        node.add(poll, waitMillis);
    }

    /** @throws ApiProblemException if no more requests may wait, or none of that caller */
    private void checkPolls(PollCaller caller) {
        int waiting = nodes.values().stream().mapToInt(PolledNode::waiting).sum();
        if (waiting >= MOST_POLLS)
            throw unavailable(MOST_POLLS + " requests for jobs wait already: let each worker send one at a time");
        int own = nodes.values().stream().mapToInt(each -> each.waiting(caller)).sum();
        if (!caller.mayHold(own, MOST_POLLS - waiting))
            throw unavailable(caller.name() + " has " + own + " of the " + MOST_POLLS
                    + " requests for jobs that may wait, and the other " + (MOST_POLLS - waiting)
                    + " are left to other tokens: let each worker send one at a time");
    }

    /**
     * Sees to it that there may be another set. A caller without one gets the last one; with one it gets another as long as it has fewer than are free,
     * so that some are left to other callers, however many sets it asks for. Sets that are not in use are closed for that.
     *
     * @throws ApiProblemException if there is no room for it
     */
    private void makeRoom(PollCaller caller) {
        String refusal = refusal(caller);
        while (refusal != null) {
            if (!closeIdle(caller)) throw unavailable(refusal);
            refusal = refusal(caller);
        }
    }

    /** Why that caller may not have another set now; null: it may. */
    private @Nullable String refusal(PollCaller caller) {
        int held = held(caller);
        if (nodes.size() >= MOST_NODES)
            return "workers ask for " + MOST_NODES + " different sets of queues and kinds, which is the most; "
                    + SAME_SETS;
        if (!caller.mayHold(held, MOST_NODES - nodes.size()))
            return caller.name() + " has " + held + " of the " + MOST_NODES
                    + " sets of queues and kinds that workers may ask for, and the other " + (MOST_NODES - nodes.size())
                    + " are left to other tokens; " + SAME_SETS;
        int left = Math.max(queries.connectionsLeft(), 0);
        if (left >= EACH_NODE + OF_OTHERS && caller.mayHold(held, (left - OF_OTHERS) / EACH_NODE)) return null;
        return "the database server has " + left
                + " connections left, and the claims of another set of queues and kinds need "
                + EACH_NODE + ", with " + OF_OTHERS + " left to others"
                + (left < EACH_NODE + OF_OTHERS
                        ? ""
                        : "; " + caller.name() + " has " + held + " sets, and the rest is left to other tokens")
                + ": raise max_connections; " + SAME_SETS;
    }

    private int held(PollCaller caller) {
        return (int)
                nodes.values().stream().filter(each -> each.isHeldBy(caller)).count();
    }

    /**
     * Closes the set that was not in use for longest: a caller that has some gives one of them up, another one gets any. False: all are in use.
     */
    private boolean closeIdle(PollCaller caller) {
        boolean own = !caller.mayHold(held(caller), 1);
        Optional<Map.Entry<Served, PolledNode>> idle = nodes.entrySet().stream()
                .filter(each -> each.getValue().isIdleSince(IDLE_IF_FULL_NANOS))
                .filter(each -> !own || each.getValue().isHeldBy(caller))
                .max(Comparator.comparingLong(each -> each.getValue().idleNanos()));
        idle.ifPresent(each -> {
            nodes.remove(each.getKey());
            close(each.getValue());
        });
        return idle.isPresent();
    }

    private PolledNode started(Served served) {
        try {
            return new PolledNode(
                    sessions,
                    data.schema(),
                    served.queues(),
                    served.kinds(),
                    served.versions(),
                    clock,
                    claim -> claims.put(claim.token(), claim));
        } catch (JobsException e) {
            log.warn("a node for workers does not start: {}", ErrorText.line(e));
            throw unavailable("claims cannot be made now: " + ErrorText.line(e));
        }
    }

    /** What the database knows of the jobs of an answer, by their ids; if it does not say that in time the future fails, and all the jobs go back: the answer does not name them. */
    CompletableFuture<Map<Long, ClaimedDetails>> details(List<HttpClaim> answer) {
        return details.of(answer);
    }

    private Map<Long, ClaimedDetails> read(List<HttpClaim> claimed) {
        try {
            return queries.claimedDetails(
                    claimed.stream().map(each -> each.job().id()).toList(),
                    claimed.stream().map(each -> each.job().fencingToken()).toList());
        } catch (RuntimeException e) {
            claimed.forEach(HttpClaim::giveUp);
            throw unavailable("the jobs of this claim go back: " + ErrorText.line(e));
        }
    }

    private static ApiProblemException unavailable(String why) {
        return new ApiProblemException(503, "unavailable", why);
    }

    /** A job, whether workers have it or not; empty: there is none of that id. */
    Optional<JobSummary> job(long id) {
        return data.jobs().find(id);
    }

    /** @throws ApiProblemException if that token has no job */
    HttpClaim find(String token) {
        HttpClaim claim = claims.get(token);
        if (claim == null) throw HttpClaim.lost();
        return claim;
    }

    /** Takes back what was asked for with that key; false: there is nothing to take back. */
    boolean withdraw(KeyedPolls.Key key) {
        boolean withdrawn = keyed.withdraw(key);
        if (withdrawn) endGone();
        return withdrawn;
    }

    private void endGone() {
        try {
            all().forEach(PolledNode::endGone);
        } catch (RuntimeException e) {
            log.debug("whether the connections of waiting workers still stand is not known", e);
        }
    }

    private List<PolledNode> all() {
        return List.copyOf(nodes.values());
    }

    private void clean() {
        try {
            all().forEach(PolledNode::endFallen);
        } catch (RuntimeException e) {
            log.debug("whether the tokens of waiting workers still hold is not known", e);
        }
        claims.values().removeIf(each -> each.isEndedSince(REMEMBERED_NANOS));
        keyed.clean(REMEMBERED_NANOS);
        List<PolledNode> idle;
        synchronized (this) {
            idle = nodes.values().stream()
                    .filter(each -> each.isIdleSince(PolledNode.IDLE_NANOS))
                    .toList();
            nodes.values().removeAll(idle);
        }
        idle.forEach(PolledNodes::close);
    }

    /** Throws nothing: it would end the cleaning for good. */
    private static void close(PolledNode node) {
        try {
            node.close();
        } catch (RuntimeException e) {
            log.warn("a node for workers was not closed cleanly", e);
        }
    }

    @Override
    public void close() {
        List<PolledNode> all;
        synchronized (this) {
            closed = true;
            all = List.copyOf(nodes.values());
            nodes.clear();
        }
        all.forEach(PolledNode::close);
        clock.shutdownNow();
        answers.shutdown();
    }
}
