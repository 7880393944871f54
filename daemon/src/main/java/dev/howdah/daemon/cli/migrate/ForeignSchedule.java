package dev.howdah.daemon.cli.migrate;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A schedule of another scheduler, as tasks would have it.
 *
 * @param id by which the other scheduler knows it
 * @param owner null: the role that connects
 * @param sql that it runs
 * @param start before which it does not run; null: at once
 * @param active whether it runs there
 * @param note what is different here; null: nothing that has to be said
 * @param problem why it cannot be taken over; null: it can
 * @param disable the SQL that ends it there
 */
record ForeignSchedule(
        long id,
        String name,
        @Nullable String owner,
        String cron,
        String zone,
        String sql,
        @Nullable Instant start,
        boolean active,
        @Nullable String note,
        @Nullable String problem,
        String disable) {
    ForeignSchedule named(String other) {
        return new ForeignSchedule(id, other, owner, cron, zone, sql, start, active, note, problem, disable);
    }
}
