package dev.howdah.task.internal.queue;

import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.task.internal.leader.LeaderSession;
import dev.howdah.task.internal.model.WaitingTask;
import dev.howdah.task.internal.output.ErrorFormatter;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it that a task with a {@code cron} runs at points of its schedule only: one that was planned for another time,
 * as by an INSERT without a plan, is moved to the first point from there on. One that cannot be understood fails. Belongs
 * to the scheduler's thread.
 */
public final class CronAligner {
    private static final Logger log = LoggerFactory.getLogger(CronAligner.class);

    private final LeaderSession leaderSession;
    private final CronTimetable timetable;
    private final Listener moves;

    /** @param moves told of each task that has another plan now */
    public CronAligner(LeaderSession leaderSession, CronTimetable timetable, Listener moves) {
        this.leaderSession = leaderSession;
        this.timetable = timetable;
        this.moves = moves;
    }

    /** Is told of tasks that were moved. */
    public interface Listener {
        /** Times are in microseconds of the epoch. */
        void moved(long id, long from, long to);
    }

    /**
     * The result for due tasks that are not on a point of their schedule.
     *
     * @param moved ids of tasks that have another plan now
     * @param refused ids of tasks that have failed
     * @param left tasks whose rows another session holds
     */
    public record Result(List<Long> moved, List<Long> refused, List<WaitingTask> left) {}

    public Result align(List<DueTask> seen) throws SQLException {
        List<DueTask> misplaced =
                seen.stream().filter(each -> each.misplaced() != null).toList();
        List<Long> moved = new ArrayList<>();
        List<Long> refused = new ArrayList<>();
        List<WaitingTask> left = new ArrayList<>();
        for (DueTask each : misplaced) {
            DueTask.Misplaced place = Objects.requireNonNull(each.misplaced());
            long id = each.task().id();
            boolean written;
            try {
                long point = timetable.nextOrSame(place.cron(), place.plan());
                written = !leaderSession
                        .query("task_align", row -> row.getLong("id"), new Long[] {id}, new Long[] {point})
                        .isEmpty();
                if (written) {
                    moved.add(id);
                    moves.moved(id, place.plan(), point);
                }
            } catch (IllegalArgumentException e) {
                written = refuse(id, String.valueOf(e.getMessage()));
                if (written) refused.add(id);
            } catch (SQLException e) {
                if (leaderSession.isLoss(e)) throw e;
                // A point that PostgreSQL does not take is the fault of the row; a lock or a trigger may let it go
                // later.
                written = SqlErrors.isBadData(e) && refuse(id, String.valueOf(e.getMessage()));
                if (written) refused.add(id);
                else log.warn("task {} cannot be planned by its schedule: {}", id, e.getMessage());
            }
            if (!written) left.add(each.task());
        }
        return new Result(moved, refused, left);
    }

    /** Returns whether the row was there to be written; it is one at a time, as schedules are not added by the thousand. */
    private boolean refuse(long id, String reason) throws SQLException {
        String[] errors = {ErrorFormatter.plain("the schedule of the task cannot be kept", reason)};
        try {
            return !leaderSession
                    .query(
                            "task_refuse",
                            row -> row.getLong("id"),
                            new Long[] {id},
                            errors,
                            leaderSession.table().schema(),
                            leaderSession.table().table())
                    .isEmpty();
        } catch (SQLException e) {
            if (leaderSession.isLoss(e)) throw e;
            log.warn("task {} has a schedule that cannot be kept, which cannot be written: {}", id, e.getMessage());
            return false;
        }
    }
}
