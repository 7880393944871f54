package dev.howdah.process.internal.step;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.Sql;
import dev.howdah.process.Event;
import dev.howdah.process.HistoryRange;
import dev.howdah.process.ProcessStatus;
import dev.howdah.process.TaskType;
import dev.howdah.process.internal.store.ProcessRows;
import dev.howdah.process.internal.store.ProcessSql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Takes processes and writes down what became of their steps, in one session. What the database does not know as this node's
 * under that turn is refused. For one thread at a time.
 */
public final class ProcessStore {
    private static final Sql CLAIM = ProcessSql.STEP.statement("step_claim");
    private static final Sql HEAD = ProcessSql.STEP.statement("step_head");
    private static final Sql LOAD = ProcessSql.STEP.statement("step_load");
    private static final Sql EVENTS = ProcessSql.STEP.statement("step_events");
    private static final Sql COMMIT = ProcessSql.STEP.statement("step_commit", CommitParameters.class);
    private static final Sql REMOVE = ProcessSql.STEP.statement("step_remove", RemoveParameters.class);
    private static final Sql LEFTOVERS = ProcessSql.STEP.statement("step_leftovers");

    private final DedicatedSession session;
    private final int node;
    private final Map<Integer, NamespaceSlots> served;

    public ProcessStore(DedicatedSession session, int node, Map<Integer, NamespaceSlots> served) {
        this.session = session;
        this.node = node;
        this.served = served;
    }

    /** Takes processes that are due: their ids, by namespace. */
    public Map<Integer, List<Long>> claim(Map<Integer, Integer> most) throws SQLException {
        Map<Integer, List<Long>> taken = new HashMap<>();
        Integer[] namespaces = most.keySet().toArray(Integer[]::new);
        Integer[] limits = most.values().toArray(Integer[]::new);
        try (ResultSet row = session.query(CLAIM, node, namespaces, limits)) {
            while (row.next())
                taken.computeIfAbsent(row.getInt(3), id -> new ArrayList<>()).add(row.getLong(1));
        }
        return taken;
    }

    /** What was not known of processes that this node has taken: their states, tasks and histories. */
    public List<Step> load(Collection<Long> numbers, Map<Long, Integer> chains) throws SQLException {
        List<Row> rows = new ArrayList<>(numbers.size());
        Set<Long> headless = read(numbers, chains, rows);
        if (!headless.isEmpty()) {
            session.update(HEAD, node, headless.toArray(Long[]::new));
            read(headless, chains, rows);
        }
        Map<Long, List<Event>> histories = histories(rows);
        List<Step> steps = new ArrayList<>(rows.size());
        for (Row each : rows) {
            List<Event> events = histories.getOrDefault(each.subject().number(), List.of());
            StepHistory history = StepHistory.of(each.range(), events);
            steps.add(new Step(each.served(), each.turn(), each.chain(), each.subject(), each.errand(), history));
        }
        return steps;
    }

    /** A process as it was read, without its history. */
    private record Row(
            NamespaceSlots served,
            long turn,
            int chain,
            Step.Subject subject,
            Step.Errand errand,
            HistoryRange range) {}

    /** Returns those of which it is not known yet what is to be done. */
    private Set<Long> read(Collection<Long> numbers, Map<Long, Integer> chains, List<Row> rows) throws SQLException {
        Set<Long> headless = new HashSet<>();
        try (ResultSet row = session.query(LOAD, node, numbers.toArray(Long[]::new))) {
            while (row.next()) {
                NamespaceSlots its = served.get(row.getInt(3));
                if (its == null) throw new SQLException("namespace " + row.getInt(3) + " is not served here");
                if (ProcessRows.longOrNull(row, 15) == null) headless.add(row.getLong(1));
                else rows.add(row(row, its, chains.getOrDefault(row.getLong(1), 0)));
            }
        }
        return headless;
    }

    private static Row row(ResultSet row, NamespaceSlots its, int chain) throws SQLException {
        long task = row.getLong(15);
        boolean timer = Long.valueOf(task).equals(ProcessRows.longOrNull(row, 16));
        boolean broken = Long.valueOf(row.getLong(16)).equals(ProcessRows.longOrNull(row, 10));
        boolean waits = !timer && !broken && row.getString(17) != null;
        Step.Subject subject = new Step.Subject(
                row.getLong(1),
                row.getString(4),
                ProcessStatus.of(row.getString(5)),
                ProcessStatus.of(row.getString(6)),
                ProcessRows.time(row, 7),
                ProcessRows.time(row, 8),
                row.getString(9),
                ProcessRows.longOrNull(row, 10),
                row.getLong(11),
                ProcessRows.bytes(row, 12, its.codec()),
                ProcessRows.json(row, 13, its.codec()),
                waits ? ProcessRows.timeOrNull(row, 18) : null);
        HistoryRange usual = its.namespace().history();
        if (timer)
            its.meter()
                    .late(Duration.between(ProcessRows.time(row, 18), ProcessRows.time(row, 29))
                            .toNanos());
        Step.Errand errand = new Step.Errand(
                task,
                TaskType.of(row.getString(timer ? 17 : 22)),
                timer,
                ProcessRows.bytes(row, 23, its.codec()),
                ProcessRows.bytes(row, timer ? 19 : 24, its.codec()),
                ProcessRows.time(row, timer ? 18 : 25),
                timer ? row.getInt(21) : 0,
                row.getBoolean(14),
                timer ? null : row.getString(30),
                timer ? null : ProcessRows.longOrNull(row, 31));
        HistoryRange asked = timer ? usual : ProcessRows.range(row, 26, usual);
        return new Row(its, row.getLong(2), chain, subject, errand, asked == null ? usual : asked);
    }

    private Map<Long, List<Event>> histories(List<Row> rows) throws SQLException {
        List<Row> wanted = rows.stream()
                .filter(each -> each.subject().lastEvent() > 0
                        && (each.range().limit() == null || each.range().limit() > 0))
                .toList();
        if (wanted.isEmpty()) return Map.of();
        int size = wanted.size();
        Long[] numbers = new Long[size];
        @Nullable Long[] offsets = new @Nullable Long[size];
        @Nullable Long[] limits = new @Nullable Long[size];
        Boolean[] backward = new Boolean[size];
        Map<Long, NamespaceSlots> its = new HashMap<>();
        for (int i = 0; i < size; i++) {
            Row each = wanted.get(i);
            numbers[i] = each.subject().number();
            offsets[i] = each.range().offset();
            limits[i] = each.range().limit();
            backward[i] = each.range().backward();
            its.put(numbers[i], each.served());
        }
        Map<Long, List<Event>> histories = new HashMap<>();
        try (ResultSet row = session.query(EVENTS, numbers, offsets, limits, backward)) {
            while (row.next()) {
                NamespaceSlots one = its.get(row.getLong(1));
                if (one == null) continue;
                histories
                        .computeIfAbsent(row.getLong(1), number -> new ArrayList<>())
                        .add(ProcessRows.event(row, 2, one.codec()));
            }
        }
        return histories;
    }

    /**
     * The next task of a process after a step.
     *
     * @param go c: a call, t: the timer; null: nothing now
     * @param stays whether the process is still this node's
     * @param type of the timer that the process has; null: it has none
     * @param dueMillis in how many milliseconds the timer is due, if it waits
     * @param call the task that follows, if it is a call that is known already
     * @param range the history that the call asks for; null: what its processor usually sees
     */
    public record Next(
            @Nullable String go,
            boolean stays,
            long task,
            @Nullable String type,
            @Nullable Instant at,
            int attempts,
            byte @Nullable [] context,
            @Nullable Long dueMillis,
            Instant written,
            Step.@Nullable Errand call,
            @Nullable HistoryRange range) {}

    /** Ends steps, and begins the next ones of their processes. Those that are not in the answer were refused. */
    public Map<Step, Next> commit(List<Step> steps, boolean stay) throws SQLException {
        Map<Step, Next> written = new HashMap<>();
        try (ResultSet row = session.query(COMMIT, CommitParameters.of(node, steps, stay))) {
            while (row.next()) {
                Step step = steps.get((int) row.getLong(1) - 1);
                written.put(
                        step,
                        new Next(
                                row.getString(2),
                                row.getBoolean(12),
                                row.getLong(3),
                                row.getString(4),
                                ProcessRows.timeOrNull(row, 5),
                                row.getInt(7),
                                row.getBytes(8),
                                ProcessRows.longOrNull(row, 9),
                                ProcessRows.time(row, 10),
                                call(row, step.served()),
                                ProcessRows.range(row, 18, null)));
            }
        }
        return written;
    }

    private static Step.@Nullable Errand call(ResultSet row, NamespaceSlots its) throws SQLException {
        String type = row.getString(14);
        if (type == null) return null;
        return new Step.Errand(
                row.getLong(13),
                TaskType.of(type),
                false,
                ProcessRows.bytes(row, 15, its.codec()),
                ProcessRows.bytes(row, 16, its.codec()),
                ProcessRows.time(row, 17),
                0,
                false,
                row.getString(21),
                ProcessRows.longOrNull(row, 22));
    }

    /**
     * The processes that are gone.
     *
     * @param callers the tasks of theirs for which callers wait at this node
     */
    public record Gone(Set<Long> numbers, List<Waiting> callers) {}

    /** A task for whose answer a caller waits; the token is null if an earlier version has written it. */
    public record Waiting(long task, @Nullable Long token) {}

    private record RemoveParameters(
            int node,
            Long[] processes,
            Long[] turns,
            Long[] tasks,
            byte[][] responses,
            @Nullable String[] errors,
            Boolean[] tell) {}

    /** Removes processes whose steps have ended so. */
    public Gone remove(List<Step> steps) throws SQLException {
        int size = steps.size();
        Long[] numbers = new Long[size];
        Long[] turns = new Long[size];
        Long[] tasks = new Long[size];
        byte[][] responses = new byte[size][];
        @Nullable String[] errors = new @Nullable String[size];
        Boolean[] tell = new Boolean[size];
        for (int i = 0; i < size; i++) {
            Step step = steps.get(i);
            numbers[i] = step.number();
            turns[i] = step.turn();
            tasks[i] = step.errand().id();
            byte[] response = step.outcome().response();
            errors[i] = step.outcome().error();
            responses[i] = response == null ? new byte[0] : response;
            tell[i] = step.served().namespace().outbox();
        }
        Set<Long> gone = new HashSet<>();
        List<Waiting> callers = new ArrayList<>();
        try (ResultSet row =
                session.query(REMOVE, new RemoveParameters(node, numbers, turns, tasks, responses, errors, tell))) {
            while (row.next()) {
                Long task = ProcessRows.longOrNull(row, 2);
                if (task == null) gone.add(row.getLong(1));
                else callers.add(new Waiting(task, ProcessRows.longOrNull(row, 4)));
            }
        }
        if (!gone.isEmpty()) session.update(LEFTOVERS, (Object) gone.toArray(Long[]::new));
        return new Gone(gone, callers);
    }
}
