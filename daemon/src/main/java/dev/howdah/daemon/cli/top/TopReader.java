package dev.howdah.daemon.cli.top;

import dev.howdah.daemon.cli.top.list.TopAction;
import dev.howdah.daemon.cli.top.list.TopPage;
import dev.howdah.daemon.cli.top.list.TopRow;
import dev.howdah.daemon.cli.top.list.TopVerb;
import dev.howdah.daemon.cli.top.list.TopView;
import dev.howdah.daemon.database.DaemonSql;
import dev.howdah.daemon.database.SqlFailure;
import dev.howdah.internal.run.Threads;
import dev.howdah.internal.sql.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Reads what is shown, in a thread of its own: at once when something else is to be shown, and after that when something has been
 * written, for which the database's snapshot is asked once a second. Safe for use by many threads.
 */
final class TopReader implements AutoCloseable {
    private static final Sql SNAPSHOT = DaemonSql.DATABASE.statement("database_snapshot_and_time");
    private static final long LOOK_MILLIS = 1_000;

    /** A list is read again after this time, also if nothing was written: times go on. */
    private static final long ANYWAY_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final Set<String> NOT_INSTALLED = Set.of("3F000", "42P01", "42883");

    private final DataSource source;
    private final Consumer<TopEvent> sink;
    private final ScheduledExecutorService executor = Threads.clock("howdah-top-reader", 1);
    private volatile @Nullable TopQuery wanted;
    private @Nullable TopQuery read;
    private String seen = "";
    private Instant time = Instant.EPOCH;
    private long readAt;

    TopReader(DataSource source, Consumer<TopEvent> sink) {
        this.source = source;
        this.sink = sink;
    }

    void start() {
        executor.scheduleWithFixedDelay(() -> safely(this::look), LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** From now on this is shown. */
    void show(TopQuery query) {
        wanted = query;
        execute(() -> {
            // A later wish has made this one obsolete.
            if (query.equals(wanted)) look();
        });
    }

    void details(TopView view, TopRow row) {
        execute(() -> sink.accept(new TopEvent.Details(view.details(row, time))));
    }

    /** Finds what a key would do. */
    void prepare(TopView view, TopVerb verb, TopRow row) {
        execute(() -> sink.accept(new TopEvent.Asked(view.action(verb, row))));
    }

    void run(TopAction action) {
        execute(() -> {
            sink.accept(new TopEvent.Said(action.run().get()));
            read = null;
            look();
        });
    }

    private interface Work {
        void run() throws SQLException;
    }

    private void execute(Work work) {
        try {
            executor.execute(() -> safely(work));
        } catch (RejectedExecutionException e) {
            // It has ended.
            return;
        }
    }

    private void safely(Work work) {
        try {
            work.run();
        } catch (SQLException | RuntimeException e) {
            read = null;
            SQLException failure = sqlFailure(e);
            TopQuery query = wanted;
            if (failure != null && query != null && NOT_INSTALLED.contains(String.valueOf(failure.getSQLState())))
                sink.accept(new TopEvent.Read(query, TopPage.of(missing(query))));
            else
                sink.accept(new TopEvent.Failed(
                        failure == null ? String.valueOf(e.getMessage()) : SqlFailure.line(failure)));
        }
    }

    private static String missing(TopQuery query) {
        return "There are no tables for " + query.view().title()
                + " in this database, or they are of an older version.";
    }

    private static @Nullable SQLException sqlFailure(Throwable failure) {
        // That of a pool has the one of the server as its cause.
        SQLException last = null;
        for (Throwable each = failure; each != null; each = each.getCause())
            if (each instanceof SQLException e) last = e;
        return last;
    }

    private void look() throws SQLException {
        TopQuery query = wanted;
        if (query == null) return;
        String before = seen;
        snapshot();
        long now = System.nanoTime();
        if (query.equals(read) && seen.equals(before) && now - readAt < ANYWAY_NANOS) return;
        TopPage page = query.read(time);
        read = query;
        readAt = now;
        sink.accept(new TopEvent.Read(query, page));
    }

    private void snapshot() throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = SNAPSHOT.prepare(connection);
                ResultSet row = statement.executeQuery()) {
            row.next();
            seen = Objects.requireNonNull(row.getString(1));
            time = row.getObject(2, OffsetDateTime.class).toInstant();
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
