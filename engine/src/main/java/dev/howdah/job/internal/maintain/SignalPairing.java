package dev.howdah.job.internal.maintain;

import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.wait.SignalPairer;
import java.sql.SQLException;

/** Wakes suspended jobs when signals were sent. */
final class SignalPairing implements MaintenanceRunner.MaintenanceTask {
    /** Another session held a job. */
    private static final long AGAIN_MILLIS = 100;

    @Override
    public long run(JobSession session) throws SQLException {
        SignalPairer.Look look = SignalPairer.pair(session);
        if (look.isFull()) return 0;
        return look.waiting() > 0 ? AGAIN_MILLIS : MaintenanceRunner.WHEN_CALLED;
    }
}
