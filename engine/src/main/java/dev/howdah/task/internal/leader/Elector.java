package dev.howdah.task.internal.leader;

import dev.howdah.internal.pause.PauseMark;
import dev.howdah.internal.run.Mailbox;
import dev.howdah.task.internal.store.TableName;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Gets the scheduler's lock of a table: at once, or when its holder lets go, or dies, or has been silent for too
 * long. Tries for the lock when {@link LeaderWatch} knows of no holder; a holder that stops in good order rings.
 */
public final class Elector {
    private static final Duration MOST_PATIENCE = Duration.ofSeconds(1);

    /** How old knowledge may be when there is a reason to think that it is out of date. */
    private static final Duration FRESH = Duration.ofMillis(10);

    private final LeaderSession leaderSession;
    private final TableName table;
    private final Duration patience;
    private final Mailbox rings;

    /**
     * @param lease for how long the holder may be silent
     * @param rings gets something when the holder may have let go
     */
    public Elector(LeaderSession leaderSession, TableName table, Duration lease, Mailbox rings) {
        this.leaderSession = leaderSession;
        this.table = table;
        this.rings = rings;
        Duration tenth = lease.dividedBy(10);
        this.patience = tenth.compareTo(MOST_PATIENCE) < 0 ? tenth : MOST_PATIENCE;
    }

    /** @param paused whether everything in the database is paused: then none is elected */
    private record Answer(boolean elected, boolean recovering, boolean paused, long lock) {}

    /**
     * Waits until this one is elected.
     *
     * @param open whether to go on
     * @param standby is told the holder of the lock, in words for people, whenever that has changed
     * @param paused is told while everything in the database is paused
     * @return false if it was not to go on
     */
    public boolean await(BooleanSupplier open, Consumer<String> standby, Consumer<String> paused)
            throws SQLException, InterruptedException {
        if (!open.getAsBoolean()) return false;
        Answer answer = elect();
        while (answer.paused() && open.getAsBoolean()) {
            paused.accept(pause());
            rings.await(patience);
            rings.handleAll();
            answer = elect();
        }
        if (answer.elected()) return true;
        LeaderWatch incumbents = leaderSession.incumbents();
        incumbents.join(answer.lock(), table, rings);
        try {
            return await(incumbents, answer.lock(), open, standby) || await(open, standby, paused);
        } finally {
            incumbents.leave(answer.lock());
        }
    }

    private boolean await(LeaderWatch incumbents, long lock, BooleanSupplier open, Consumer<String> standby)
            throws SQLException, InterruptedException {
        String told = "";
        Duration age = FRESH;
        while (open.getAsBoolean()) {
            LeaderWatch.Seen holder = incumbents.holder(lock, age);
            if (holder == null) {
                Answer answer = elect();
                if (answer.elected()) return true;
                if (answer.paused()) return false;
            }
            String who = holder == null ? "unknown" : holder.who();
            if (!who.equals(told)) standby.accept(who);
            told = who;
            // The lock of a session that was ended is free within milliseconds.
            boolean soon = holder == null || holder.ended();
            boolean rung = rings.await(soon ? FRESH : patience);
            age = soon || rung ? FRESH : patience.minusMillis(FRESH.toMillis());
        }
        return false;
    }

    /** What the mark says, for people. */
    private String pause() throws SQLException {
        PauseMark mark = leaderSession.pause().mark();
        return mark == null ? "paused" : mark.toString();
    }

    private Answer elect() throws SQLException {
        Answer answer = leaderSession.one(
                "task_elect",
                row -> new Answer(
                        row.getBoolean("elected"),
                        row.getBoolean("recovering"),
                        row.getBoolean("paused"),
                        row.getLong("lock")),
                table.quoted());
        if (answer.recovering()) throw new SQLException("the server is a standby and takes no writes", "25006");
        return answer;
    }
}
