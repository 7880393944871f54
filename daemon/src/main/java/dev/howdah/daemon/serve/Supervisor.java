package dev.howdah.daemon.serve;

import dev.howdah.Database;
import dev.howdah.daemon.config.PgTaskJson;
import dev.howdah.daemon.config.ServedTable;
import dev.howdah.daemon.config.TableList;
import dev.howdah.daemon.database.SqlFailure;
import dev.howdah.internal.run.Threads;
import dev.howdah.reach.ReachSettings;
import dev.howdah.reach.TaskReach;
import dev.howdah.spi.Metrics;
import dev.howdah.task.RemotePlaces;
import dev.howdah.task.TaskRights;
import dev.howdah.task.TaskScheduler;
import dev.howdah.task.TaskSchedulers;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a scheduler for each table that is to be served, and reads the list of tables again when it was changed. A
 * list that cannot be read or understood changes nothing.
 */
final class Supervisor implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Supervisor.class);
    private static final Duration FIRST_RETRY = Duration.ofMillis(100);
    private static final Duration LAST_RETRY = Duration.ofSeconds(5);
    private static final Duration TROUBLE_RETRY = Duration.ofSeconds(10);
    private static final Duration ENDING_RETRY = Duration.ofMillis(200);
    private static final int MOST_NOTES = 6;

    private enum Event {
        RELOAD,
        STOP
    }

    private record Running(ServedTable table, TaskScheduler scheduler) {}

    private final Database database;
    private final TableList list;
    private final ServedTable usual;
    private final TaskSchedulers schedulers;
    private final StartupReporter announcer;
    private final Duration lease;
    private final StartGuard guard;
    private @Nullable TaskRights rights;
    private Set<String> adopted = Set.of();
    private volatile RemotePlaces places = RemotePlaces.everywhere();
    private final TaskReach reach = new TaskReach(ReachSettings.of(List.of()));
    private Metrics metrics = Metrics.none();
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final Map<ServedTable.Key, Running> running = new LinkedHashMap<>();
    private final List<Running> ending = new ArrayList<>();
    private final Thread thread = Threads.loop("howdah-tables", this::run);
    private Duration retry = FIRST_RETRY;
    private volatile boolean closed;
    private boolean begun;
    private int notes;
    private String complaint = "";

    /**
     * @param usual what to serve where nothing is set
     * @param guard asked before anything of a database is served
     */
    Supervisor(
            Database database,
            TableList list,
            ServedTable usual,
            TaskSchedulers schedulers,
            StartupReporter announcer,
            Duration lease,
            StartGuard guard) {
        this.database = database;
        this.list = list;
        this.usual = usual;
        this.schedulers = schedulers;
        this.announcer = announcer;
        this.lease = lease;
        this.guard = guard;
    }

    /** The tables that become tables of tasks whatever they look like, as schema.table. To be said before the start. */
    Supervisor adopt(Set<String> tables) {
        this.adopted = tables;
        return this;
    }

    /** With whose rights tasks run; null leaves that to each table. To be said before the start. */
    Supervisor rights(@Nullable TaskRights whose) {
        this.rights = whose;
        return this;
    }

    /** Where tasks may connect from now on. */
    Supervisor remotePlaces(RemotePlaces allowed) {
        String list = allowed.toString();
        if (!places.toString().equals(list))
            log.info("tasks may connect to: {}", list.isEmpty() ? "no other PostgreSQL" : list);
        this.places = allowed;
        return this;
    }

    /** What tasks may reach beside PostgreSQLs from now on. */
    Supervisor reach(ReachSettings allowed) {
        reach.settings(allowed);
        return this;
    }

    /** Where figures go. To be said before the start. */
    Supervisor metrics(Metrics to) {
        this.metrics = to;
        reach.metrics(to);
        return this;
    }

    /** Begins in the background. */
    Supervisor start() {
        thread.start();
        return this;
    }

    /** Reads what is to be served again. */
    void reload() {
        events.add(Event.RELOAD);
    }

    private void run() {
        schedulers.watchSettings(database, this::reload);
        try {
            Event event = Event.RELOAD;
            while (event != Event.STOP && !closed) {
                Duration pause = reconcileSafely();
                event = pause == null ? events.take() : next(pause);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private @Nullable Duration reconcileSafely() {
        try {
            return reconcile();
        } catch (RuntimeException | Error e) {
            Threads.survived(e);
            if (!closed) log.error("the list of tables is looked at again after an error of its own", e);
            return LAST_RETRY;
        }
    }

    private Event next(Duration pause) throws InterruptedException {
        Event event = events.poll(pause.toMillis(), TimeUnit.MILLISECONDS);
        return event == null ? Event.RELOAD : event;
    }

    /** Starts what is missing and ends what is not wanted any more; says when to look again, null if when told. */
    private @Nullable Duration reconcile() {
        try {
            Optional<TableList.Found> found = list.read();
            retry = FIRST_RETRY;
            List<ServedTable> wanted = found.map(TableList.Found::tables).orElseGet(() -> List.of(usual));
            Map<String, String> troubles = found.map(TableList.Found::troubles).orElseGet(Map::of);
            complain(troubles.isEmpty() ? "" : String.join("; ", lines(troubles)), "cannot serve all tables: {}");
            boolean ended = serve(wanted, found.map(TableList.Found::unclear).orElseGet(Set::of));
            begun = true;
            if (!ended) return ENDING_RETRY;
            // What is to be noted goes into the schema that schedulers make.
            boolean noted = guard.noteAll() || ++notes > MOST_NOTES;
            return troubles.isEmpty() && noted ? null : TROUBLE_RETRY;
        } catch (PgTaskJson.Invalid e) {
            complain(
                    String.valueOf(e.getMessage()),
                    begun ? "the list of tables is wrong, the old one goes on: {}" : "the list of tables is wrong: {}");
            return null;
        } catch (SQLException e) {
            return unreachable(e);
        }
    }

    private Duration unreachable(SQLException e) {
        // What runs says for itself what it waits for.
        if (!begun) announcer.waiting(SqlFailure.line(e) + " (" + database.describe() + ")");
        Duration now = retry;
        retry = retry.multipliedBy(2).compareTo(LAST_RETRY) > 0 ? LAST_RETRY : retry.multipliedBy(2);
        return now;
    }

    private static List<String> lines(Map<String, String> troubles) {
        List<String> lines = new ArrayList<>();
        troubles.forEach((name, reason) -> lines.add(name + ": " + reason));
        return lines;
    }

    /** Once for each reason. */
    private void complain(String reason, String message) {
        if (!reason.isEmpty() && !reason.equals(complaint)) log.warn(message, reason);
        complaint = reason;
    }

    /**
     * @param unclear databases of which it is not known what is to be served there: nothing of theirs is ended
     * @return false if something has to end first
     */
    private boolean serve(List<ServedTable> wanted, Set<String> unclear) {
        ending.removeIf(each -> each.scheduler().isOver());
        Map<ServedTable.Key, ServedTable> byKey = new LinkedHashMap<>();
        wanted.forEach(table -> byKey.put(table.key(), table));
        Iterator<Running> each = running.values().iterator();
        while (each.hasNext()) {
            Running one = each.next();
            ServedTable now = byKey.get(one.table().key());
            if (now == null
                    ? unclear.contains(one.table().data())
                    : now.user().equals(one.table().user())) continue;
            each.remove();
            end(one);
        }
        announcer.serves(wanted);
        boolean all = true;
        for (ServedTable table : wanted) all &= serve(table);
        return all;
    }

    private void end(Running one) {
        if (!begun) return;
        log.info(
                "{} is not served here any more; what runs comes to its end",
                one.table().key());
        one.scheduler().drain();
        ending.add(one);
    }

    private boolean serve(ServedTable table) {
        Running one = running.get(table.key());
        if (one != null) {
            one.scheduler().remotePlaces(places);
            if (!one.table().tuning().equals(table.tuning())) {
                log.info("other settings hold for {}: {}", table.key(), table.tuning());
                one.scheduler().tune(table.tuning());
                running.put(table.key(), new Running(table, one.scheduler()));
            }
            return true;
        }
        if (ending.stream().anyMatch(other -> other.table().key().equals(table.key()))) return false;
        Database its = database.withDatabase(table.data());
        try {
            guard.admit(its);
        } catch (SQLException e) {
            announcer.of(table).waiting(String.valueOf(e.getMessage()));
            return false;
        }
        TaskScheduler.Builder builder = TaskScheduler.on(its)
                .role(table.user())
                .table(table.schema(), table.table())
                .tuning(table.tuning())
                .remotePlaces(places)
                .reach(reach)
                .lease(lease)
                .metrics(metrics)
                .adopt(adopted.contains(table.schema() + "." + table.table()))
                .listener(announcer.of(table));
        if (rights != null) builder.rights(rights);
        TaskScheduler scheduler = schedulers.start(builder);
        running.put(table.key(), new Running(table, scheduler));
        return true;
    }

    /** Ends all schedulers, and waits for that. */
    @Override
    public void close() {
        closed = true;
        events.add(Event.STOP);
        schedulers.close();
        reach.close();
        try {
            thread.join(LAST_RETRY.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
