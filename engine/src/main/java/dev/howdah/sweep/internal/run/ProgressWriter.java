package dev.howdah.sweep.internal.run;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.Sql;
import dev.howdah.sweep.internal.store.SweepSql;
import dev.howdah.sweep.internal.work.SweepWorker;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes down what workers have done since it last did so. For one thread at a time. */
final class ProgressWriter {
    private static final Sql REPORT = SweepSql.SWEEP.statement("sweep_report");

    private final int sweep;
    private long writtenNanos = System.nanoTime();

    ProgressWriter(int sweep) {
        this.sweep = sweep;
    }

    /** @param held why the process does nothing for a while; null: it works */
    void write(DedicatedSession session, int process, List<SweepWorker> workers, @Nullable String held)
            throws SQLException {
        int count = workers.size();
        Integer[] numbers = new Integer[count];
        Long[] done = new Long[count];
        Long[] failed = new Long[count];
        String[] rates = new String[count];
        long now = System.nanoTime();
        double seconds = Math.max((now - writtenNanos) / 1e9, 0.001);
        for (int i = 0; i < count; i++) {
            SweepWorker each = workers.get(i);
            numbers[i] = each.number();
            done[i] = each.counters().takeDone();
            failed[i] = each.counters().takeFailed();
            rates[i] = Double.toString(each.counters().rate(done[i], seconds));
        }
        try {
            session.update(REPORT, process, sweep, numbers, done, failed, rates, held);
            writtenNanos = now;
        } catch (SQLException e) {
            // A session that is lost was lost before, as a rule: what was not said is said next time.
            for (int i = 0; i < count; i++) {
                workers.get(i).counters().giveBack(done[i], failed[i]);
            }
            throw e;
        }
    }
}
