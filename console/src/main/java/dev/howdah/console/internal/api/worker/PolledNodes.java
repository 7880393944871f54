package dev.howdah.console.internal.api.worker;

import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.run.Threads;
import dev.howdah.job.JobsException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
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

    /** A node without requests keeps its connections for so long. */
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** The end of a claim may be sent again for so long. */
    private static final long REMEMBERED_NANOS = TimeUnit.SECONDS.toNanos(60);

    private record Served(Set<String> queues, Set<String> kinds) {}

    private final ConsoleData data;
    private final DataSource sessions;
    private final ConsoleQueries queries;
    private final Map<Served, PolledNode> nodes = new HashMap<>();
    private final Map<String, HttpClaim> claims = new ConcurrentHashMap<>();
    private final ScheduledExecutorService clock = Threads.clock("howdah-http-workers", 1);
    private final ExecutorService answers = Executors.newCachedThreadPool(Threads.platform("howdah-http-workers"));
    private final KeyedPolls keyed = new KeyedPolls(answers);
    private boolean closed;

    /** @param sessions of the nodes: not those of the pages, which would have none left */
    public PolledNodes(ConsoleData data, DataSource sessions) {
        this.data = data;
        this.sessions = sessions;
        this.queries = new ConsoleQueries(data.source(), data.schema());
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
    synchronized void add(List<String> queues, List<String> kinds, WaitingPoll poll, long waitMillis) {
        if (closed) throw unavailable("this server ends");
        if (nodes.values().stream().mapToInt(PolledNode::waiting).sum() >= MOST_POLLS)
            throw unavailable(MOST_POLLS + " requests for jobs wait already");
        Served served = new Served(Set.copyOf(queues), Set.copyOf(kinds));
        PolledNode node = nodes.get(served);
        if (node == null) {
            if (!queries.installed().jobs())
                throw new ApiProblemException(
                        409,
                        "not-installed",
                        "this database has no tables of jobs: /features/jobs/install creates them");
            if (nodes.size() >= MOST_NODES)
                throw unavailable("workers ask for more than " + MOST_NODES
                        + " different sets of queues and kinds: let them ask for the same ones");
            node = started(served);
            nodes.put(served, node);
        }
        node.add(poll, waitMillis);
    }

    /** @throws ApiProblemException if the server has no connections for it */
    private PolledNode started(Served served) {
        int left = queries.connectionsLeft();
        if (left < EACH_NODE + OF_OTHERS)
            throw unavailable("the database server has " + Math.max(left, 0)
                    + " connections left, and the claims of another set of queues and kinds need " + EACH_NODE
                    + ", with "
                    + OF_OTHERS + " left to others: raise max_connections, or let workers ask for the same sets");
        try {
            return new PolledNode(
                    sessions,
                    data.schema(),
                    served.queues(),
                    served.kinds(),
                    clock,
                    claim -> claims.put(claim.token(), claim));
        } catch (JobsException e) {
            log.warn("a node for workers does not start: {}", ErrorText.line(e));
            throw unavailable("claims cannot be made now: " + ErrorText.line(e));
        }
    }

    /**
     * When these jobs of one answer were due: by one statement.
     *
     * @throws ApiProblemException if the database does not say it in time: all the jobs go back, since the answer would not name them
     */
    Map<Long, Instant> runAts(List<HttpClaim> answer) {
        try {
            return queries.runAts(
                    answer.stream().map(each -> each.job().id()).toList(),
                    answer.stream().map(each -> each.job().fencingToken()).toList());
        } catch (RuntimeException e) {
            answer.forEach(HttpClaim::giveUp);
            throw unavailable("the jobs of this claim go back: " + ErrorText.line(e));
        }
    }

    private static ApiProblemException unavailable(String why) {
        return new ApiProblemException(503, "unavailable", why);
    }

    /** @throws ApiProblemException if that token has no job */
    HttpClaim find(String token) {
        HttpClaim claim = claims.get(token);
        if (claim == null) throw HttpClaim.lost();
        return claim;
    }

    private void endGone() {
        try {
            all().forEach(PolledNode::endGone);
        } catch (RuntimeException e) {
            log.debug("whether the connections of waiting workers still stand is not known", e);
        }
    }

    private synchronized List<PolledNode> all() {
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
                    .filter(each -> each.isIdleSince(IDLE_NANOS))
                    .toList();
            nodes.values().removeAll(idle);
        }
        for (PolledNode each : idle) {
            try {
                each.close();
            } catch (RuntimeException e) {
                // Thrown on, it would end the cleaning for good.
                log.warn("a node for workers was not closed cleanly", e);
            }
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
