package dev.howdah.health;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A session of a client, as the server sees it. What a role may not see of a session of another role is null, and its query empty.
 *
 * @param pid of its server process; another session can have it later
 * @param started when it began: with the pid this names one session only
 * @param role as which it is logged in
 * @param database that it is connected to
 * @param application the name that it has given itself; empty: none
 * @param address of the client; null: the same machine
 * @param state such as {@code active} or {@code idle in transaction}
 * @param transactionStarted when its transaction began; null: it has none open
 * @param heldTransactions of how many transactions, up to now, dead rows stay because of it; null: of none
 * @param waits whether it waits for a lock
 * @param blocks how many sessions wait for its locks
 * @param query its present statement, or its last one
 */
public record DatabaseSession(
        int pid,
        @Nullable Instant started,
        @Nullable String role,
        @Nullable String database,
        String application,
        @Nullable String address,
        @Nullable String state,
        @Nullable Instant transactionStarted,
        @Nullable Long heldTransactions,
        boolean waits,
        long blocks,
        String query) {}
