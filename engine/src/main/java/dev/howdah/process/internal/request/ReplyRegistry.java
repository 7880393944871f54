package dev.howdah.process.internal.request;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.Sql;
import dev.howdah.process.internal.store.ProcessRows;
import dev.howdah.process.internal.store.ProcessSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The callers that wait for results of tasks. A step of this node answers directly, one of another node rings; and what has not come
 * within a second is asked of the database. Safe for use by many threads.
 */
public final class ReplyRegistry {
    private static final Logger log = LoggerFactory.getLogger(ReplyRegistry.class);
    private static final Sql ANSWERS = ProcessSql.REQUEST.statement("request_answers");
    private static final long PATIENCE_NANOS = 1_000_000_000;
    private static final int MOST_EARLY = 10_000;

    private record Waiter(
            long process, @Nullable Long token, long since, CompletableFuture<PendingRequest.Reply> reply) {
        boolean isFor(@Nullable Long answered) {
            return token == null || token.equals(answered);
        }
    }

    private final Map<Long, List<Waiter>> waiting = new ConcurrentHashMap<>();
    /** Tasks that rang before a caller waited. */
    private final Set<Long> early = ConcurrentHashMap.newKeySet();

    /**
     * That one gets the answer of that request.
     *
     * @param token of the request; null: it was written by an earlier version, and its task says enough
     */
    public void add(long process, long task, @Nullable Long token, CompletableFuture<PendingRequest.Reply> reply) {
        boolean rang = early.remove(task);
        long since = System.nanoTime() - (rang ? PATIENCE_NANOS : 0);
        waiting.compute(task, (id, known) -> {
            List<Waiter> all = known == null ? new ArrayList<>(1) : new ArrayList<>(known);
            all.add(new Waiter(process, token, since, reply));
            return all;
        });
    }

    /** That one does not wait any more. */
    public void remove(CompletableFuture<PendingRequest.Reply> reply, long task) {
        waiting.computeIfPresent(task, (id, known) -> {
            List<Waiter> rest =
                    known.stream().filter(each -> each.reply() != reply).toList();
            return rest.isEmpty() ? null : rest;
        });
    }

    /** Answers the callers that wait for that request. Others may wait for a task of the same id, which a failover has lost. */
    public void answer(long task, @Nullable Long token, byte @Nullable [] response, @Nullable String error) {
        List<Waiter> told = new ArrayList<>(1);
        waiting.computeIfPresent(task, (id, known) -> {
            List<Waiter> rest = new ArrayList<>(0);
            for (Waiter each : known) (each.isFor(token) ? told : rest).add(each);
            return rest.isEmpty() ? null : rest;
        });
        if (told.isEmpty()) return;
        PendingRequest.Reply reply = PendingRequest.Reply.of(response, error);
        for (Waiter each : told) each.reply().complete(reply);
    }

    /** Other nodes have ended those tasks. */
    public void heard(Collection<Long> tasks, DedicatedSession session) throws SQLException {
        List<Long> wanted = new ArrayList<>();
        for (long task : tasks) {
            if (waiting.containsKey(task)) wanted.add(task);
            else if (early.size() < MOST_EARLY) early.add(task);
        }
        if (wanted.isEmpty()) return;
        try (ResultSet row = session.query(ANSWERS, (Object[]) requests(wanted))) {
            tell(row);
        }
    }

    /** That task may have ended before a caller waited. */
    public void look(ConnectionSource source, long task) {
        ask(source, List.of(task));
    }

    /** Asks for what has been waited for long enough. */
    public void poll(ConnectionSource source) {
        List<Long> old = new ArrayList<>();
        long now = System.nanoTime();
        waiting.forEach((task, all) -> {
            if (now - all.get(0).since() >= PATIENCE_NANOS) old.add(task);
        });
        if (early.size() >= MOST_EARLY) early.clear();
        if (!old.isEmpty()) ask(source, old);
    }

    private @Nullable Long[][] requests(List<Long> tasks) {
        List<Long> processes = new ArrayList<>();
        List<Long> asked = new ArrayList<>();
        List<@Nullable Long> tokens = new ArrayList<>();
        for (long task : tasks) {
            for (Waiter each : waiting.getOrDefault(task, List.of())) {
                processes.add(each.process());
                asked.add(task);
                tokens.add(each.token());
            }
        }
        return new @Nullable Long[][] {
            processes.toArray(Long[]::new), asked.toArray(Long[]::new), tokens.toArray(new @Nullable Long[0])
        };
    }

    private void ask(ConnectionSource source, List<Long> tasks) {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = ANSWERS.prepare(connection, (Object[]) requests(tasks));
                ResultSet row = statement.executeQuery()) {
            tell(row);
        } catch (SQLException e) {
            log.debug("answers could not be asked for, another time: {}", e.getMessage());
        }
    }

    private void tell(ResultSet row) throws SQLException {
        while (row.next()) answer(row.getLong(1), ProcessRows.longOrNull(row, 2), row.getBytes(3), row.getString(4));
    }
}
