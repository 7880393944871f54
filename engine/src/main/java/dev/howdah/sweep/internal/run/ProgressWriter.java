package dev.howdah.sweep.internal.run;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.Sql;
import dev.howdah.sweep.internal.store.SweepSql;
import dev.howdah.sweep.internal.work.SweepWorker;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reports on workers: what they have marked goes into the counts, and how many rows have failed. For one thread at a time. */
final class ProgressWriter {
    private static final Sql REPORT = SweepSql.SWEEP.statement("sweep_report");

    private static final Sql BEGIN = SweepSql.SWEEP.statement("sweep_begin_report");

    private final int sweep;
    private long writtenNanos = System.nanoTime();
    private Numbers sent = new Numbers(0);
    private Numbers written = sent;

    /** The counts of each worker from its beginning. */
    private static final class Numbers {
        private final Integer[] workers;
        private final Long[] done;
        private final Long[] failed;

        Numbers(int count) {
            workers = new Integer[count];
            done = new Long[count];
            failed = new Long[count];
        }

        static Numbers of(List<SweepWorker> all) {
            Numbers made = new Numbers(all.size());
            for (int i = 0; i < all.size(); i++) {
                SweepWorker each = all.get(i);
                made.workers[i] = each.number();
                made.done[i] = each.counters().all();
                made.failed[i] = each.counters().allFailed();
            }
            return made;
        }

        long done(int worker) {
            return worker < done.length ? done[worker] : 0;
        }
    }

    ProgressWriter(int sweep) {
        this.sweep = sweep;
    }

    /** @param held why the process does nothing for a while; null: it works */
    void write(DedicatedSession session, int process, List<SweepWorker> workers, @Nullable String held)
            throws SQLException {
        Numbers now = Numbers.of(workers);
        long nanos = System.nanoTime();
        double seconds = Math.max((nanos - writtenNanos) / 1e9, 0.001);
        String[] rates = new String[workers.size()];
        for (int i = 0; i < rates.length; i++)
            rates[i] = Double.toString(workers.get(i).counters().rate(now.done(i) - written.done(i), seconds));
        sent = now;
        session.update(REPORT, process, sweep, now.workers, now.failed, rates, held);
        written = now;
        writtenNanos = nanos;
    }

    /** The process has come back as another, and its former row was gone: others had taken it for dead. */
    void goOn(DedicatedSession session, int process) throws SQLException {
        session.update(BEGIN, process, sent.workers, sent.failed);
    }
}
