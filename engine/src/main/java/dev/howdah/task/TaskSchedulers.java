package dev.howdah.task;

import dev.howdah.Database;
import dev.howdah.task.internal.leader.DatabaseSessions;
import dev.howdah.task.internal.quota.SessionQuotas;
import dev.howdah.task.internal.store.TableName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Schedulers of many tables, in any number of databases, with a bounded number of sessions.
 *
 * <p>All tables of a database share two connections, one that writes and one that listens; when the first is
 * lost, all its tables are. Sessions for tasks are opened as needed, up to a bound for each database and one in
 * all; beyond it tables take turns. Tasks at other servers have a bound of their own, as high as that in all.
 *
 * <p>Safe for use by many threads.
 */
public final class TaskSchedulers implements AutoCloseable {
    private final DatabaseSessions shared;
    private final Map<Key, TaskScheduler> schedulers = new HashMap<>();
    private DatabaseSessions.@Nullable Listening watching;
    private boolean closed;

    /** What has one scheduler at most: with a second one in the same session both would hold its lock. */
    record Key(Database database, TableName table) {}

    private TaskSchedulers(SessionQuotas quotas) {
        this.shared = new DatabaseSessions(quotas);
    }

    /**
     * Makes an object that serves no table yet.
     *
     * @param perDatabase the maximum number of tasks of one database that run at the same time; at least 1
     * @param inAll the maximum number of tasks that run at the same time in all databases together; and of those at other servers
     */
    public static TaskSchedulers bounded(int perDatabase, int inAll) {
        if (perDatabase < 1 || inAll < 1)
            throw new IllegalArgumentException(
                    "at least 1 session is needed, not " + perDatabase + " for each database and " + inAll + " in all");
        return new TaskSchedulers(SessionQuotas.of(perDatabase, inAll));
    }

    /**
     * Starts a scheduler that shares sessions with the others; the bounds of this object replace that of the builder.
     * It is closed with this object, or by itself.
     *
     * @throws IllegalStateException if the table has a scheduler here that has not closed yet; or if this object is closed
     */
    public synchronized TaskScheduler start(TaskScheduler.Builder builder) {
        if (closed) throw new IllegalStateException("the schedulers are closed");
        Key key = builder.key();
        TaskScheduler other = schedulers.get(key);
        if (other != null && !other.isOver()) throw new IllegalStateException(key.table() + " has a scheduler already");
        TaskScheduler scheduler = builder.build(shared);
        schedulers.put(key, scheduler);
        return scheduler.start();
    }

    /**
     * Watches changes of the server's settings, of the configuration, a database or a role, with a delay of about ten
     * seconds: in the session that listens to that database, which is opened if needed.
     *
     * @param changed called in a thread that must not be blocked
     */
    public synchronized void watchSettings(Database database, Runnable changed) {
        if (closed) throw new IllegalStateException("the schedulers are closed");
        if (watching != null) watching.close();
        watching = shared.watchSettings(database, changed);
    }

    /** Closes all schedulers, at the same time, as {@link TaskScheduler#close} does. Idempotent. */
    @Override
    public void close() {
        List<TaskScheduler> all;
        synchronized (this) {
            closed = true;
            if (watching != null) watching.close();
            all = new ArrayList<>(schedulers.values());
            schedulers.clear();
        }
        TaskScheduler.close(all);
    }
}
