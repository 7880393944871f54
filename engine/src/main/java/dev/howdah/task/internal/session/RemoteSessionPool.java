package dev.howdah.task.internal.session;

import dev.howdah.Database;
import dev.howdah.internal.run.Background;
import dev.howdah.internal.wire.WireException;
import dev.howdah.task.internal.output.ErrorFormatter;
import dev.howdah.task.internal.owner.SessionRefusedException;
import dev.howdah.task.internal.quota.SessionQuota;
import dev.howdah.task.internal.quota.SessionQuotas;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The sessions at other servers: opened for one task, or for those of its lane that go on in it, and never
 * kept. All methods belong to the scheduler's thread; sessions are opened in the background and arrive by its mailbox.
 */
public final class RemoteSessionPool implements AutoCloseable {
    private static final Database ELSEWHERE = Database.of("dbname=-", Map.of());

    /** No option of a connection has such a name, and the two schemes of PostgreSQL and that of its driver are its addresses. */
    private static final Pattern SCHEME =
            Pattern.compile("(?!postgres(?:ql)?://|jdbc:postgresql:)[A-Za-z][A-Za-z0-9+.-]*:");

    private final SessionFactory opener;
    private final SessionQuota.Share share;
    private final Background background;
    private final Consumer<TaskSession> busy;

    /** Rights to run a task at another server that have just come. */
    private final Deque<SessionQuota.Place> places = new ArrayDeque<>();

    private boolean wanted;

    /** @param busy is told of each session that has been opened */
    RemoteSessionPool(SessionFactory opener, SessionQuotas quotas, Background background, Consumer<TaskSession> busy) {
        this.opener = opener;
        this.background = background;
        this.busy = busy;
        this.share = quotas.remote().join(ELSEWHERE, new SessionQuota.Holder() {
            @Override
            public void granted(SessionQuota.Place place) {
                background.post(() -> places.add(place));
            }

            @Override
            public void reclaim() {
                // None is kept idle.
            }
        });
    }

    /** The right to run one more task at another server; null if there is none now. */
    public SessionQuota.@Nullable Place take() {
        SessionQuota.Place place = places.isEmpty() ? share.take() : places.poll();
        wanted |= place == null;
        return place;
    }

    /** Returns whether a task waits for a session at another server. */
    boolean isShort() {
        return share.isContended();
    }

    /** Gives back what was not needed in this round. */
    void leaveToOthers() {
        if (!wanted) share.enough();
        wanted = false;
        for (SessionQuota.Place place = places.poll(); place != null; place = places.poll()) place.close();
    }

    /** The end of the opening of a session at another server; exactly one of the three is called, by the mailbox. */
    public interface Opening {
        void opened(TaskSession session);

        /** The server is full or just starting: it may take one later. */
        void busy(String reason);

        /** @param error of the task */
        void failed(String error);
    }

    /** Opens a session at another server for a task of that owner, in the background. */
    public void open(String remote, @Nullable String owner, SessionQuota.Place place, Opening opening) {
        background.run(() -> tryToOpen(remote, owner, place, opening), Runnable::run);
    }

    private Runnable tryToOpen(String remote, @Nullable String owner, SessionQuota.Place place, Opening opening) {
        try {
            TaskSession session = opener.remote(remote, owner, place);
            return () -> {
                busy.accept(session);
                opening.opened(session);
            };
        } catch (WireException e) {
            String reason = String.valueOf(e.getMessage());
            boolean later = e.sqlState().equals("53300") || e.sqlState().equals("57P03");
            return later ? () -> opening.busy(reason) : () -> opening.failed(notConnected(reason, null));
        } catch (SQLException e) {
            return () -> opening.busy(String.valueOf(e.getMessage()));
        } catch (SessionRefusedException e) {
            String hint = foreignScheme(remote);
            return () -> opening.failed(hint == null ? e.error() : e.error() + "\nHINT:  " + hint);
        } catch (IllegalArgumentException e) {
            return () -> opening.failed(notConnected(String.valueOf(e.getMessage()), foreignScheme(remote)));
        }
    }

    private static String notConnected(String reason, @Nullable String hint) {
        return ErrorFormatter.plain("could not connect", reason, hint);
    }

    /** What else could stand there, where a remote begins as an address that is none of a PostgreSQL; null for all others. */
    private @Nullable String foreignScheme(String remote) {
        if (!SCHEME.matcher(remote).lookingAt()) return null;
        List<String> schemes = opener.reach().schemes();
        if (schemes.isEmpty())
            return "In this program remote is the address of a PostgreSQL. Tasks of other schemes are done by the daemon"
                    + " (howdah up --allow), or by a program with TaskScheduler.Builder.reach.";
        return "remote begins with " + String.join(":, ", schemes.subList(0, schemes.size() - 1)) + ": or "
                + schemes.get(schemes.size() - 1) + ":, or it is the address of a PostgreSQL.";
    }

    /** Gives back all rights. */
    @Override
    public void close() {
        share.close();
    }
}
