package dev.howdah.task.internal.dispatch;

import dev.howdah.task.internal.leader.LeaderSession;
import dev.howdah.task.internal.output.ErrorFormatter;
import dev.howdah.task.internal.quota.ResourceShortage;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends that tasks with {@code once} have written down themselves, in the transaction of their effects: the scheduler's part is still
 * to be written. Belongs to the scheduler's thread.
 */
final class SelfRecordedEnds {
    private static final Logger log = LoggerFactory.getLogger(SelfRecordedEnds.class);

    /**
     * The state of a task whose row could not be written.
     *
     * @param isSame whether the row is still that of the task which ran
     */
    record Present(long id, boolean busy, boolean marked, boolean isSame) {}

    private final LeaderSession leaderSession;
    private final FollowUps successors;
    private final ResourceShortage shortage;
    private final List<Long> marked = new ArrayList<>();

    SelfRecordedEnds(LeaderSession leaderSession, FollowUps successors, ResourceShortage shortage) {
        this.leaderSession = leaderSession;
        this.successors = successors;
        this.shortage = shortage;
    }

    /**
     * Those of these rows that are there and have no such end; the others are {@linkplain #take taken} later.
     *
     * @param pids of the sessions in which they ran
     */
    List<Present> others(Long[] ids, @Nullable Integer[] pids) throws SQLException {
        List<Present> others = new ArrayList<>();
        for (Present each : present(ids, pids)) {
            if (each.marked()) marked.add(each.id());
            else others.add(each);
        }
        return others;
    }

    private List<Present> present(Long[] ids, @Nullable Integer[] pids) throws SQLException {
        return leaderSession.query(
                "task_present",
                row -> new Present(
                        row.getLong("id"), row.getBoolean("busy"), row.getBoolean("marked"), row.getBoolean("same")),
                ids,
                pids);
    }

    /** Tasks that were found to have written down their own end, and have not been {@linkplain #take taken} yet. */
    List<Long> left() {
        return List.copyOf(marked);
    }

    /** Tasks that were found to have written down their own end, since the last call. */
    List<Long> take() {
        List<Long> all = List.copyOf(marked);
        marked.clear();
        return all;
    }

    /** The same among the tasks that no session runs; {@code ours}: the ids of others. */
    List<Long> marked(Long[] ours) throws SQLException {
        return leaderSession.query("task_marked", row -> row.getLong("id"), (Object) ours);
    }

    /** Does what follows the ends that tasks have written themselves; returns those that have to be tried again. */
    List<Long> close(List<Long> ids) throws SQLException {
        return close(ids, true);
    }

    /** @param drops whether rows go that are not to be kept; false where a foreign key or a trigger does not let one go */
    private List<Long> close(List<Long> ids, boolean drops) throws SQLException {
        Long[] all = ids.toArray(Long[]::new);
        try {
            successors.atomically(() -> {
                successors.follow(leaderSession.query(
                        "task_close",
                        FollowUps::ended,
                        all,
                        leaderSession.table().schema(),
                        leaderSession.table().table()));
                if (drops) leaderSession.run("task_drop_empty", (Object) all);
            });
        } catch (SQLException e) {
            if (leaderSession.isLoss(e)) throw e;
            if (ids.size() > 1) {
                List<Long> left = new ArrayList<>();
                for (Long id : ids) left.addAll(close(List.of(id)));
                return left;
            }
            if (shortage.isBehind(e)) return ids;
            if (drops) return close(ids, false);
            closeAlone(ids.get(0), e);
        }
        return present(all, new Integer[all.length]).stream()
                .filter(each -> each.marked() && each.busy())
                .map(Present::id)
                .toList();
    }

    /** Its effects are there, so it is DONE, whatever cannot follow. */
    private void closeAlone(long id, SQLException reason) throws SQLException {
        try {
            leaderSession.run(
                    "task_close_alone",
                    id,
                    ErrorFormatter.plain("what follows the task could not be written: " + reason.getMessage(), null));
        } catch (SQLException e) {
            if (leaderSession.isLoss(e)) throw e;
            log.warn("the end of task {} cannot be written: {}", id, e.getMessage());
        }
    }
}
