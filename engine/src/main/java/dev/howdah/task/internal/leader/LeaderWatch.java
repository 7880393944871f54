package dev.howdah.task.internal.leader;

import dev.howdah.internal.run.Mailbox;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.text.Identifiers;
import dev.howdah.task.internal.store.TableName;
import dev.howdah.task.internal.store.TaskSql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The holders of the locks for which schedulers of one session stand by. One statement tells of all tables of a database,
 * however many wait; what it said is good for all of them until it is too old. Safe for use by many threads.
 */
final class LeaderWatch {
    private static final Logger log = LoggerFactory.getLogger(LeaderWatch.class);
    private static final Sql AS_LOGIN = TaskSql.SCHEDULER.statement("task_as_login");
    private static final Sql HOLDERS = TaskSql.SCHEDULER.statement("task_holders");
    private static final Sql RING = TaskSql.SCHEDULER.statement("task_ask_for_pulse");
    private static final Sql END = TaskSql.SCHEDULER.statement("lock_end_holder");
    private static final Sql END_UNTRUSTED = TaskSql.SCHEDULER.statement("session_end_untrusted");

    /** Of the lease: how long an untrusted role may hold a lock. The table that would show its right may be being made. */
    private static final double UNTRUSTED = 0.3;

    /** A scheduler that stands by for a table, and how to tell it that the lock may be free. */
    private record Waiting(TableName table, Mailbox mailbox) {}

    /** A role that holds a lock, whichever of its sessions. */
    private record Untrusted(long lock, String role) {
        boolean isOf(LockHolder holder) {
            return !holder.trusted() && lock == holder.lock() && role.equals(holder.role());
        }
    }

    /** The known holder of a table's lock, and whether its session has just been ended. */
    record Seen(String who, boolean ended) {}

    private final SharedLeaderSession session;
    private final Duration lease;
    private final Map<Long, Waiting> waiting = new HashMap<>();
    private final Map<Integer, LeaderProbe> incumbents = new HashMap<>();
    private final Map<Untrusted, Double> untrustedSince = new HashMap<>();
    private final Set<String> warned = new HashSet<>();
    private Map<Long, Seen> seen = Map.of();

    /** Which process holds which lock. */
    private Map<Long, Integer> held = Map.of();

    private long lookedAt;

    private final LeaderProbe.Remedies remedies = new LeaderProbe.Remedies() {
        @Override
        public void ring(int pid) throws SQLException {
            ask(RING, row -> {}, DatabaseSessions.pulse(pid));
        }

        @Override
        public boolean end(LockHolder holder, double silent) throws SQLException {
            return LeaderWatch.this.end(holder, silent);
        }
    };

    /** Whether the session acts as another role than the one that has logged in. */
    private boolean acting;

    LeaderWatch(SharedLeaderSession session, Duration lease) {
        this.session = session;
        this.lease = lease;
        this.lookedAt = System.nanoTime() - lease.toNanos();
    }

    /** A scheduler stands by for the table from now on. */
    synchronized void join(long lock, TableName table, Mailbox mailbox) {
        waiting.put(lock, new Waiting(table, mailbox));
    }

    synchronized void leave(long lock) {
        waiting.remove(lock);
    }

    /**
     * The holder of a lock; null if it is free. Asks the server if what is known is older than that.
     *
     * @param lock of a scheduler that has {@linkplain #join joined}
     */
    synchronized @Nullable Seen holder(long lock, Duration age) throws SQLException {
        if (System.nanoTime() - lookedAt >= age.toNanos()) look();
        return seen.get(lock);
    }

    private void look() throws SQLException {
        List<LockHolder> holders = ask();
        lookedAt = System.nanoTime();
        Map<Integer, List<LockHolder>> sessions = holders.stream().collect(Collectors.groupingBy(LockHolder::pid));
        held = holders.stream().collect(Collectors.toMap(LockHolder::lock, LockHolder::pid, (one, other) -> one));
        incumbents.keySet().retainAll(sessions.keySet());
        Map<Long, Seen> now = new HashMap<>();
        for (List<LockHolder> locks : sessions.values()) {
            boolean ended = locks.stream().anyMatch(each -> waiting.containsKey(each.lock())) && watch(locks.get(0));
            for (LockHolder each : locks) now.put(each.lock(), new Seen(each.who(), ended || endUntrusted(each)));
        }
        untrustedSince.keySet().removeIf(each -> holders.stream().noneMatch(each::isOf));
        seen = now;
        waiting.forEach((lock, who) -> {
            if (!now.containsKey(lock)) who.mailbox().post(() -> {});
        });
    }

    /** An untrusted role that holds a lock keeps all tasks of the table waiting: says whether its sessions were ended. */
    private boolean endUntrusted(LockHolder holder) throws SQLException {
        if (holder.trusted()) return false;
        double since =
                untrustedSince.computeIfAbsent(new Untrusted(holder.lock(), holder.role()), untrusted -> holder.now());
        if (holder.now() - since < lease.toMillis() / 1e3 * UNTRUSTED) return false;
        boolean ended = false;
        if (holder.mayEnd()) {
            List<Boolean> answer = new ArrayList<>();
            askAsLogin(END_UNTRUSTED, row -> answer.add(row.getBoolean("ended")), holder.lock(), holder.role());
            ended = answer.contains(true);
        }
        boolean first = warned.add("untrusted " + holder.role());
        if (ended)
            log.warn(
                    "role {} held the lock of the scheduler of {} in {}: its sessions were ended; it cannot be the"
                            + " scheduler, so keep it from connecting (REVOKE CONNECT, or NOLOGIN) until it is known why",
                    holder.role(),
                    tables(holder),
                    holder.who());
        else if (first)
            log.warn(
                    "no task of {} runs: role {} holds the scheduler's lock in {}, and role {} may not end it:"
                            + " SELECT pg_terminate_backend({}) as a superuser, and GRANT pg_signal_backend TO {}",
                    tables(holder),
                    holder.role(),
                    holder.who(),
                    holder.self(),
                    holder.pid(),
                    Identifiers.quote(holder.self()));
        return ended;
    }

    private boolean watch(LockHolder holder) throws SQLException {
        if (holder.state() == null) warnOnce(holder);
        return incumbents
                .computeIfAbsent(holder.pid(), pid -> new LeaderProbe(lease, remedies))
                .seen(holder);
    }

    private List<LockHolder> ask() throws SQLException {
        List<LockHolder> holders = new ArrayList<>();
        boolean[] acts = {acting};
        SharedLeaderSession.Visitor visitor = row -> {
            holders.add(LockHolder.of(row));
            acts[0] = row.getBoolean("acting");
        };
        // What looks at sessions of the role that has logged in needs the rights of that role.
        Long[] wanted = waiting.keySet().toArray(Long[]::new);
        double silence = lease.toMillis() / 1e3 * LeaderProbe.RING;
        String[] schemas =
                Arrays.stream(wanted).map(lock -> table(lock).schema()).toArray(String[]::new);
        String[] names = Arrays.stream(wanted).map(lock -> table(lock).table()).toArray(String[]::new);
        if (acting) askAsLogin(HOLDERS, visitor, wanted, silence, schemas, names);
        else ask(HOLDERS, visitor, wanted, silence, schemas, names);
        if (acting || !acts[0]) return holders;
        acting = true;
        return ask();
    }

    private TableName table(Long lock) {
        return Objects.requireNonNull(waiting.get(lock)).table();
    }

    private void ask(Sql statement, SharedLeaderSession.Visitor visitor, @Nullable Object... values)
            throws SQLException {
        session.send(statement, List.of(visitor), values, () -> false);
    }

    private void askAsLogin(Sql statement, SharedLeaderSession.Visitor visitor, @Nullable Object... values)
            throws SQLException {
        List<@Nullable Object> all = new ArrayList<>(Arrays.asList(values));
        all.add(0, true);
        session.send(AS_LOGIN.then(statement), List.of(row -> {}, visitor), all.toArray(), () -> false);
    }

    private boolean end(LockHolder holder, double silent) throws SQLException {
        if (!holder.mayEnd()) {
            warnOnce(holder);
            return false;
        }
        List<Boolean> answer = new ArrayList<>();
        askAsLogin(END, row -> answer.add(row.getBoolean("ended")), holder.pid(), holder.state());
        boolean ended = answer.contains(true);
        if (ended)
            log.warn(
                    "the scheduler of {} in {} has been silent for {} s and did not answer: its session is ended",
                    tables(holder),
                    holder.who(),
                    Math.round(silent * 10) / 10.0);
        return ended;
    }

    /** The tables whose locks it holds and for which a scheduler here waits. */
    private String tables(LockHolder holder) {
        return waiting.entrySet().stream()
                .filter(each -> held.getOrDefault(each.getKey(), 0) == holder.pid())
                .map(each -> each.getValue().table().toString())
                .sorted()
                .collect(Collectors.joining(", "));
    }

    private void warnOnce(LockHolder holder) {
        if (!warned.add(holder.role())) return;
        String remedy = holder.superuser()
                ? "it is a superuser: let both log in as the same role, better one that is no superuser"
                : "GRANT " + Identifiers.quote(holder.role()) + " TO " + Identifiers.quote(holder.self());
        log.warn(
                "role {} could not end the scheduler of {} in {}, role {}, should it freeze: {}",
                holder.self(),
                tables(holder),
                holder.who(),
                holder.role(),
                remedy);
    }
}
