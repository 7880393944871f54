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
 * <p>All tables of a database share two sessions, one that keeps the books and one that listens; when that session is
 * lost, all its tables are. Sessions for tasks are opened as they are needed, up to one bound for each database and one in
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
     * Nothing is served yet.
     *
     * @param perDatabase most sessions in which tasks of one database run at the same time; from 1 on
     * @param inAll most sessions in which tasks run at the same time, in all databases together; and most at other servers
     */
    public static TaskSchedulers bounded(int perDatabase, int inAll) {
        if (perDatabase < 1 || inAll < 1)
            throw new IllegalArgumentException(
                    "at least 1 session is needed, not " + perDatabase + " for each database and " + inAll + " in all");
        return new TaskSchedulers(SessionQuotas.of(perDatabase, inAll));
    }

    /**
     * Starts a scheduler that shares sessions with the others; how many it may have is not up to the builder. It is closed
     * with this, or by itself.
     *
     * @throws IllegalStateException if the table has a scheduler here, or one that has not come to its end; or when closed
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
     * From now on hears of changes of the server's settings, be it of the configuration, a database or a role, within some
     * ten seconds: in the session that listens to that database, which is opened if need be.
     *
     * @param changed called in a thread that has no time to wait
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
        all.forEach(TaskScheduler::stop);
        long until = System.nanoTime() + TaskScheduler.STOP_PATIENCE.toNanos();
        all.forEach(each -> each.awaitOver(until));
    }
}
