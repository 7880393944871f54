package dev.howdah.task.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.fixtures.TestServer;
import dev.howdah.internal.wire.WireConnection;
import dev.howdah.internal.wire.WireException;
import dev.howdah.task.internal.model.GroupKey;
import dev.howdah.task.internal.model.WaitingTask;
import dev.howdah.task.internal.output.ErrorFormatter;
import dev.howdah.task.internal.output.OutputMemory;
import dev.howdah.task.internal.session.TaskExecution;
import dev.howdah.task.internal.session.TaskSession;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** One queue of tasks. */
class GroupQueueTest {
    private final GroupQueue lane = new GroupQueue(new GroupKey("g", null), 1);

    private static WaitingTask candidate(long id, int max) {
        return new WaitingTask(id, 1, max, 0, 0);
    }

    @Test
    void startable_nothingKnown_asksTheTable() {
        lane.doubt();
        assertThat(lane.startable()).isNull();
        assertThat(lane.needsPeek()).isTrue();
        assertThat(lane.hasWaiting()).isTrue();
        assertThat(lane.isIdle()).isFalse();
    }

    @Test
    void startable_limitReached_isNone() {
        lane.learned(List.of(candidate(1, 1), candidate(2, 0)), true);
        assertThat(lane.startable(10)).hasSize(1);
        lane.started();
        assertThat(lane.startable()).isEqualTo(candidate(1, 1));
        lane.started();
        assertThat(lane.startable()).isNull();
        lane.ended();
        lane.forget(candidate(1, 1));
        assertThat(lane.startable()).isNull(); // 2 may run beside none
        lane.ended();
        assertThat(lane.startable()).isEqualTo(candidate(2, 0));
    }

    @Test
    void startable_eachBesideTheOthers() {
        lane.learned(
                List.of(candidate(1, 2), candidate(2, 2), candidate(3, 2), candidate(4, 2), candidate(5, 0)), true);
        assertThat(lane.startable(10)).hasSize(3);
        assertThat(lane.startable(2)).hasSize(2);
        lane.started();
        assertThat(lane.startable(10)).hasSize(2);
    }

    @Test
    void saw_taskBehindThoseKnownWhereNothingIsKnown_changesNothing() {
        lane.learned(List.of(candidate(1, 0), candidate(2, 0)), false);
        lane.saw(candidate(3, 0));
        lane.saw(candidate(2, 0));
        assertThat(lane.startable()).isEqualTo(candidate(1, 0));
    }

    @Test
    void saw_unknownTask_makesItDoubt() {
        lane.learned(List.of(candidate(1, 0), candidate(3, 0)), false);
        lane.saw(candidate(2, 0));
        assertThat(lane.needsPeek()).isTrue();
        lane.learned(List.of(candidate(1, 0)), true);
        lane.saw(candidate(3, 0));
        assertThat(lane.needsPeek()).isTrue();
    }

    @Test
    void room_ranksLanesByWhatTheirNextMayRunBeside() {
        assertThat(lane.room()).isEqualTo(Integer.MIN_VALUE);
        assertThat(lane.firstId()).isEqualTo(Long.MAX_VALUE);
        lane.learned(List.of(candidate(7, 3)), true);
        lane.started();
        assertThat(lane.room()).isEqualTo(2);
        assertThat(lane.firstId()).isEqualTo(7);
    }

    @Test
    void startableIn_session_choosesWhatItMayGoOnWith() throws WireException {
        try (WireConnection wire =
                WireConnection.open(Database.of(TestServer.shared().uri()), Map.of(), Duration.ofSeconds(10))) {
            TaskSession session = new TaskSession(
                    wire,
                    null,
                    new TaskExecution.Manner(
                            false, "", ErrorFormatter.DEFAULT, "", OutputMemory.ofProcess().new Outputs()),
                    "");
            session.assigned(lane.key, 1);
            WaitingTask smaller = new WaitingTask(1, 1, 0, 9, 0);
            WaitingTask noCount = new WaitingTask(2, 1, 1, 0, 0);
            WaitingTask right = new WaitingTask(3, 1, 1, 2, 0);
            lane.learned(List.of(smaller, noCount, right), true);
            assertThat(lane.startableIn(session)).isEqualTo(right);
            session.assigned(lane.key, 1);
            assertThat(lane.startableIn(session)).isNull(); // two done, a third would be more than its count
            lane.started();
            lane.started();
            session.rested();
            session.assigned(lane.key, 0);
            assertThat(lane.startableIn(session)).isNull(); // two run already
        }
    }

    @Test
    void from_somebodySeenInFront_isForgotten() {
        lane.from(candidate(10, 1));
        lane.learned(List.of(candidate(10, 1), candidate(11, 1)), false);
        lane.saw(candidate(20, 0));
        assertThat(lane.from()).isEqualTo(candidate(10, 1));
        lane.saw(candidate(5, 1));
        assertThat(lane.from()).isNull();
        assertThat(lane.needsPeek()).isTrue();
    }

    @Test
    void joined_everythingKnown_takesItsTurn() {
        lane.learned(List.of(candidate(5, 0)), true);
        lane.joined(candidate(4, 0));
        lane.joined(candidate(9, 2));
        assertThat(lane.needsPeek()).isFalse();
        assertThat(lane.startable()).isEqualTo(candidate(9, 2));
    }

    @Test
    void joined_notEverythingKnown_asksTheTable() {
        lane.learned(List.of(candidate(5, 0)), false);
        lane.joined(candidate(4, 0));
        assertThat(lane.needsPeek()).isTrue();
    }
}
