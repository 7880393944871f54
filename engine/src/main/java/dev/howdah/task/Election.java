package dev.howdah.task;

import dev.howdah.internal.run.Mailbox;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Gets the scheduler's lock of a table: at once, or when whoever holds it lets go, or dies, or has been silent for too
 * long. Asks a few times a second at most; a holder that stops in good order rings.
 */
final class Election {
    private static final Duration MOST_PATIENCE = Duration.ofSeconds(1);

    private final Books books;
    private final TableName table;
    private final Duration patience;
    private final Incumbent incumbent;
    private final Mailbox rings;

    /**
     * @param lease for how long the holder may be silent
     * @param rings gets something when the holder may have let go
     */
    Election(Books books, TableName table, Duration lease, Mailbox rings) {
        this.books = books;
        this.table = table;
        this.rings = rings;
        Duration tenth = lease.dividedBy(10);
        this.patience = tenth.compareTo(MOST_PATIENCE) < 0 ? tenth : MOST_PATIENCE;
        this.incumbent = new Incumbent(books, table, lease);
    }

    private record Answer(boolean elected, boolean recovering) {}

    /**
     * Waits until this one is elected.
     *
     * @param open whether to go on
     * @param standby is told who holds the lock, in words for people, whenever that has changed
     * @return false if it was not to go on
     */
    boolean await(BooleanSupplier open, Consumer<String> standby) throws SQLException, InterruptedException {
        String told = "";
        while (open.getAsBoolean()) {
            if (elect()) return true;
            Incumbent.Seen seen = incumbent.watch();
            if (!seen.who().equals(told)) standby.accept(seen.who());
            told = seen.who();
            // The lock of a session that was ended is free within milliseconds.
            rings.await(seen.ended() ? Duration.ofMillis(10) : patience);
        }
        return false;
    }

    private boolean elect() throws SQLException {
        Answer answer = books.one(
                "elect", row -> new Answer(row.getBoolean("elected"), row.getBoolean("recovering")), table.quoted());
        if (answer.recovering()) throw new SQLException("the server is a standby and takes no writes", "25006");
        return answer.elected();
    }
}
