package dev.howdah.task.internal.reach;

import dev.howdah.internal.error.AttemptLog;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.text.Sha256;
import dev.howdah.spi.reach.Cancellation;
import dev.howdah.spi.reach.Reach;
import dev.howdah.spi.reach.ReachPermit;
import dev.howdah.spi.reach.ReachResult;
import dev.howdah.spi.reach.ReachTask;
import dev.howdah.spi.reach.RowFormat;
import dev.howdah.task.TaskState;
import dev.howdah.task.internal.model.ClaimedTask;
import dev.howdah.task.internal.model.SessionResult;
import dev.howdah.task.internal.model.TaskResult;
import dev.howdah.task.internal.output.ErrorFormatter;
import dev.howdah.task.internal.owner.OwnerKey;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does tasks elsewhere than in a PostgreSQL, and says how they have ended as a session would. Safe for use by many threads. */
public final class ReachRunner implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ReachRunner.class);
    private static final AttemptLog FAILURES = new AttemptLog(log);
    private static final int SHOWN = 200;

    /** Codes of errors, as the schemes have theirs. */
    private static final String NOT_ALLOWED = "W1004";

    private static final String COLUMN = "W1007";
    private static final String INTERNAL = "W5002";

    private final Reach reach;
    private final String place;
    private final String role;
    private final long table;
    private final DocumentSessions sessions;

    /**
     * @param place the table and its database: the keys of tasks of two tables are different
     * @param role of the scheduler, to which tasks without an owner belong
     * @param table its OID
     * @param sessions for templates and documents, closed with this
     */
    public ReachRunner(Reach reach, String place, String role, long table, DocumentSessions sessions) {
        this.reach = reach;
        this.place = place;
        this.role = role;
        this.table = table;
        this.sessions = sessions;
    }

    /** Returns whether a task with that remote is not for a PostgreSQL. */
    public boolean takes(@Nullable String remote) {
        return remote != null && reach.takes(remote);
    }

    /** As {@link Reach#schemes}. */
    public List<String> schemes() {
        return reach.schemes();
    }

    /** As {@link Reach#permit}. */
    public @Nullable ReachPermit permit(
            String remote, @Nullable String owner, @Nullable String firstLine, Runnable room) {
        return reach.permit(remote, name(owner), firstLine, room);
    }

    /** Returns whether a task with that remote, which may be none of these, may begin at its target. */
    public boolean hasRoom(@Nullable String remote, @Nullable String owner, @Nullable String firstLine) {
        return !takes(remote) || reach.hasRoom(String.valueOf(remote), name(owner), firstLine);
    }

    /** The name of the role whose task it is. */
    private String name(@Nullable String owner) {
        return owner == null ? role : OwnerKey.of(owner).name();
    }

    /** Does the task to its end; never throws. */
    public SessionResult run(ClaimedTask task, ReachFacts facts, Cancellation cancellation) {
        String remote = task.lane().remote();
        if (remote == null) throw new IllegalArgumentException("task " + task.id() + " has no remote");
        if (!facts.owned())
            return refused(task, NOT_ALLOWED, "the owner of this task is not the role any more that it was");
        if (task.once()) return refused(task, COLUMN, "a task with a remote cannot be run with once");
        String owner = name(task.owner());
        String key = key(task, facts.root());
        ReachTask work = new ReachTask(
                task.id(),
                remote,
                task.input(),
                owner,
                task.lane().group(),
                Duration.ofMillis(task.timeoutMillis()),
                key,
                facts.attempt(),
                new RowFormat(
                        task.header(),
                        task.string(),
                        character(task.delimiter()),
                        character(task.quote()),
                        character(task.escape()),
                        task.nullText()),
                new TaskDocuments(sessions, table, facts.root(), owner, key));
        try {
            return ended(task, reach.run(work, cancellation));
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            log.error("task {} could not be run", task.id(), e);
            // The message of an unexpected exception may hold anything, a secret too.
            return ended(
                    task,
                    ReachResult.failedForNow(
                            INTERNAL,
                            "the task could not be run: " + e.getClass().getSimpleName(),
                            null,
                            Duration.ZERO));
        }
    }

    /** The column has a byte; 0 is none. */
    private static String character(int signed) {
        return signed == 0 ? "" : String.valueOf((char) (signed & 0xff));
    }

    private static SessionResult refused(ClaimedTask task, String sqlstate, String error) {
        return ended(task, ReachResult.failed(sqlstate, error, null, null));
    }

    private static SessionResult ended(ClaimedTask task, ReachResult end) {
        String error = end.error() == null ? null : ErrorFormatter.plain(end.error(), end.detail(), end.hint());
        String output = error != null && end.output() == null ? "" : end.output();
        TaskState state = error == null ? TaskState.DONE : TaskState.FAIL;
        if (error != null && !end.cancelled()) logFailure(task);
        Duration again = end.retries() ? end.retryAfter() : TaskResult.NEVER;
        TaskResult result =
                new TaskResult(task.id(), state, null, clean(output), clean(error), null, again, end.sqlstate(), null);
        return new SessionResult(result, true, end.cancelled(), false, null);
    }

    /** Without the error itself, which may hold values that do not belong into a log, and without what may be secret in the remote. */
    private static void logFailure(ClaimedTask task) {
        String place = String.valueOf(task.lane().remote())
                .replaceFirst("(?s)[?#].*", "")
                .replaceFirst("//[^/]*@", "//")
                .replaceAll("[^\\x21-\\x7e]", "?");
        String shown = place.length() <= SHOWN ? place : place.substring(0, SHOWN) + "...";
        FAILURES.retry(ErrorText.of(shown + ", the column error of its row says why"), "task {} has failed", task.id());
    }

    /** No text of PostgreSQL has this character, and no database takes half a pair of surrogates. */
    private static @Nullable String clean(@Nullable String text) {
        if (text == null
                || text.indexOf('\0') < 0 && StandardCharsets.UTF_8.newEncoder().canEncode(text)) return text;
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8).replace('\0', '\uFFFD');
    }

    /**
     * Ids come again after a failover that has lost some, or when a sequence is restarted: the content of the task is a part of its key,
     * so that a new task does not pass for an old one.
     */
    private String key(ClaimedTask task, long root) {
        MessageDigest digest = Sha256.begin();
        for (String each :
                new @Nullable String[] {place, Long.toString(root), task.lane().remote(), task.input()}) {
            byte[] bytes = String.valueOf(each).getBytes(StandardCharsets.UTF_8);
            digest.update((bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
            digest.update(bytes);
        }
        return "howdah-" + root + "-" + HexFormat.of().formatHex(digest.digest(), 0, 12);
    }

    /** Removes documents whose time is over; what cannot be removed stays. */
    public void removeExpired() {
        try {
            sessions.removeExpired();
        } catch (SQLException e) {
            log.info("documents whose time is over cannot be removed: {}", e.getMessage());
        }
    }

    /** Closes its sessions. */
    @Override
    public void close() {
        sessions.close();
    }
}
