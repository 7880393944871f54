package dev.howdah.task.internal.session;

import dev.howdah.Database;
import dev.howdah.internal.run.Threads;
import dev.howdah.internal.wire.ServerMessage;
import dev.howdah.internal.wire.WireConnection;
import dev.howdah.internal.wire.WireException;
import dev.howdah.internal.wire.WireListener;
import dev.howdah.task.internal.store.TaskSql;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that the answer of another server does not come, or that it does not take what is sent, because the way to it is
 * cut and neither end can tell, or because it has stopped reading. A statement may rightly take hours, so nothing is cut off for taking long: the server is asked by another connection, one
 * for all sessions there. A session is given up when two answers in a row say that it waits for its client since the same
 * moment, or that it is gone, or when the server twice does not answer at all. What else the server may say leaves the
 * session alone: so do a server that is full, a password that was changed, and another server behind the same address.
 *
 * <p>Costs nothing while answers come soon. Safe for use by many threads.
 */
final class RemoteWatchdog {
    private static final Logger log = LoggerFactory.getLogger(RemoteWatchdog.class);
    private static final String AS_LOGIN = TaskSql.SESSION.text("session_as_login");
    private static final String WORK_THERE = TaskSql.SESSION.text("session_work_there");
    private static final String GONE = "the server has no such session any more";
    private static final String UNREACHABLE = "the server cannot be reached";

    /** Of the lease: the silence after which to ask first, the time for an answer, and when to ask again if in doubt. */
    private static final double ASK = 0.5;

    private static final double ANSWER = 0.5;
    private static final double DOUBT = 0.2;
    private static final double TICK = 0.1;
    private static final long LONGEST_TICK_MILLIS = 1000;

    /** By how many seconds the two ends may differ about the age of a session. */
    private static final double SAME_AGE = 15;

    private static final ScheduledThreadPoolExecutor TICKS = ticks();

    private final Duration lease;
    private final Map<TaskSession, Watched> sessions = new ConcurrentHashMap<>();
    private final Set<Database> asking = ConcurrentHashMap.newKeySet();
    private @Nullable ScheduledFuture<?> ticking;

    /** @param lease of which twice and a half is the longest that a cut goes unnoticed */
    RemoteWatchdog(Duration lease) {
        this.lease = lease;
    }

    /** The knowledge of a session; belongs to the ticks, and to the thread that asks about it. */
    private static final class Watched {
        private final TaskSession session;
        private final Database address;
        private long silentSince;
        private long nextAsk;

        /** When the server that has this session had begun; null until the session was seen there. */
        private @Nullable String server;

        private @Nullable String doubt;
        private boolean givenUp;

        Watched(TaskSession session) {
            this.session = session;
            this.address = session.address();
        }
    }

    /** From now on a session is watched. */
    synchronized void add(TaskSession session) {
        sessions.put(session, new Watched(session));
        if (ticking != null) return;
        long millis = Math.min((long) (lease.toMillis() * TICK), LONGEST_TICK_MILLIS);
        ticking = TICKS.scheduleWithFixedDelay(this::tick, millis, millis, TimeUnit.MILLISECONDS);
    }

    /** It has ended, or is about to. */
    synchronized void remove(TaskSession session) {
        sessions.remove(session);
        if (ticking == null || !sessions.isEmpty()) return;
        ticking.cancel(false);
        ticking = null;
    }

    private void tick() {
        long now = System.nanoTime();
        Map<Database, List<Watched>> silent = sessions.values().stream()
                .filter(each -> !asking.contains(each.address))
                .filter(each -> isSilent(each, now))
                .collect(Collectors.groupingBy(each -> each.address));
        silent.forEach((address, there) -> {
            asking.add(address);
            Threads.daemon("howdah-remote-watch", () -> ask(address, there)).start();
        });
    }

    private boolean isSilent(Watched each, long now) {
        long since = each.session.waitingSince();
        if (since != each.silentSince) {
            each.silentSince = since;
            each.nextAsk = since + part(ASK);
            each.doubt = null;
        }
        return since != 0 && now - each.nextAsk >= 0;
    }

    private long part(double ofLease) {
        return (long) (lease.toNanos() * ofLease);
    }

    private void ask(Database address, List<Watched> silent) {
        try {
            Map<Integer, Answer> answers = new HashMap<>();
            String failure = ask(address, silent, answers);
            for (Watched each : silent) conclude(each, failure, answers.get(each.session.pid()));
        } catch (RuntimeException e) {
            log.error("{} could not be asked about its sessions", address, e);
        } finally {
            asking.remove(address);
        }
    }

    /**
     * The answer of a server about a session.
     *
     * @param server when the server has begun
     * @param age in seconds; null if there is no such session
     * @param waiting in which state it waits for its client; empty if it does not
     */
    private record Answer(String server, @Nullable String age, String waiting) {}

    /** Says why there is no answer, if that is worth a doubt. */
    private @Nullable String ask(Database address, List<Watched> silent, Map<Integer, Answer> answers) {
        String pids = silent.stream()
                .map(each -> Integer.toString(each.session.pid()))
                .collect(Collectors.joining(",", "{", "}"));
        Duration patience = Duration.ofNanos(part(ANSWER));
        Map<String, String> startup = Map.of("application_name", "howdah watch", "client_encoding", "UTF8");
        WireConnection asked = null;
        ScheduledFuture<?> limit = null;
        try {
            WireConnection wire = WireConnection.open(address, startup, patience);
            asked = wire;
            limit = TICKS.schedule(wire::abort, patience.toMillis(), TimeUnit.MILLISECONDS);
            wire.query(AS_LOGIN, new FirstRow());
            wire.execute(WORK_THERE, List.of(pids), new WireListener() {
                @Override
                public void row(byte[] buffer, int[] offsets, int[] lengths) {
                    String[] values = new String[4];
                    for (int i = 0; i < 4; i++)
                        values[i] = new String(buffer, offsets[i], Math.max(lengths[i], 0), StandardCharsets.US_ASCII);
                    answers.put(
                            Integer.valueOf(values[0]),
                            new Answer(values[1], lengths[2] < 0 ? null : values[2], values[3]));
                }

                @Override
                public void error(ServerMessage message) {
                    log.debug("{} does not tell of its sessions: {}", address, message.message());
                }
            });
            return null;
        } catch (WireException e) {
            log.debug("{} cannot be asked about its sessions: {}", address, e.getMessage());
            // One that is starting or stopping has ended them; any other that speaks is alive.
            return e.serverMessage() == null || e.sqlState().startsWith("57P") ? UNREACHABLE : null;
        } finally {
            if (limit != null) limit.cancel(false);
            if (asked != null) asked.close();
        }
    }

    private void conclude(Watched each, @Nullable String failure, @Nullable Answer answer) {
        long now = System.nanoTime();
        String doubt = failure != null ? failure : answer == null ? null : doubt(each, answer);
        boolean again = doubt != null && doubt.equals(each.doubt);
        each.doubt = doubt;
        each.nextAsk = now + (doubt == null ? lease.toNanos() : part(DOUBT));
        long since = each.silentSince;
        if (doubt == null || !again || each.session.waitingSince() != since || !sessions.containsKey(each.session))
            return;
        String reason = "no answer from " + each.address.describe() + " for "
                + TimeUnit.NANOSECONDS.toSeconds(now - since) + " s: "
                + (doubt.startsWith("idle") || doubt.startsWith("active") ? "its session waits for us" : doubt);
        // It stays here until its task has been told.
        if (!each.givenUp) log.warn("{}; session {} is given up", reason, each.session.pid());
        each.givenUp = true;
        each.session.giveUp(reason);
    }

    private static @Nullable String doubt(Watched each, Answer answer) {
        String age = answer.age();
        boolean there = age != null && Math.abs(Double.parseDouble(age) - each.session.secondsOld()) < SAME_AGE;
        if (there) {
            each.server = answer.server();
            return answer.waiting().isEmpty() ? null : answer.waiting();
        }
        // A proxy has numbers of its own for its sessions, and may lead to another server the next time.
        return answer.server().equals(each.server) ? GONE : null;
    }

    private static ScheduledThreadPoolExecutor ticks() {
        ScheduledThreadPoolExecutor ticks = Threads.clock("howdah-remote-watch-ticks", 1);
        ticks.setKeepAliveTime(10, TimeUnit.SECONDS);
        ticks.allowCoreThreadTimeOut(true);
        return ticks;
    }
}
