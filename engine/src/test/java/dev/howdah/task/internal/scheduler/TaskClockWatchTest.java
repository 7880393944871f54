package dev.howdah.task.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.task.internal.leader.LeaderSession;
import dev.howdah.task.internal.leader.SharedLeaderSession;
import dev.howdah.task.internal.store.TableName;
import dev.howdah.task.internal.table.TableInstaller;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The clock of the server is ahead between two looks at it, and a next run is planned then. */
@PostgresTest
class TaskClockWatchTest {
    private static final TableName TABLE = new TableName("public", "task");

    private final TestDatabase database;

    TaskClockWatchTest(TestDatabase database) {
        this.database = database;
    }

    private static long microsIn(Duration time) {
        return TimeUnit.MILLISECONDS.toMicros(Instant.now().plus(time).toEpochMilli());
    }

    private String isFarOff() {
        return String.valueOf(database.value("SELECT plan > now() + interval '7 h' FROM task WHERE parent = 1"));
    }

    private void install() throws Exception {
        try (Connection connection =
                SharedLeaderSession.connect(Database.of(database.uri()), "test", Duration.ofSeconds(10))) {
            new TableInstaller(connection, TABLE, null, false).complete();
        }
    }

    private LeaderSession leader() throws Exception {
        SharedLeaderSession session =
                SharedLeaderSession.open(Database.of(database.uri()), "test", Duration.ofSeconds(10));
        assertThat(session.join()).isTrue();
        return new LeaderSession(session, TABLE);
    }

    @Test
    void clockThatWasAheadBetweenTwoLooks_isNoticedOnce() throws Exception {
        install();
        database.execute(
                "INSERT INTO task (input, state) VALUES ('SELECT 1', 'DONE');"
                        + " INSERT INTO task (input, parent, plan, repeat) VALUES ('SELECT 1', 1, now() + interval '8 h', '10 s')");
        try (LeaderSession leader = leader()) {
            TaskClockWatch watch = new TaskClockWatch(leader, Duration.ZERO);
            watch.planned(microsIn(Duration.ZERO));
            assertThat(watch.step()).isFalse();
            assertThat(watch.step()).isFalse();
            assertThat(isFarOff()).isEqualTo("t");
            watch.planned(microsIn(Duration.ofHours(8)));
            watch.planned(microsIn(Duration.ZERO));
            assertThat(watch.step()).isTrue();
            assertThat(isFarOff()).isEqualTo("f");
            assertThat(watch.step()).isFalse();
        }
    }

    /** Such as by an INSERT without a plan: the scheduler has planned its first time. A plan that a user has written stays. */
    @Test
    void firstTimeOfANewTaskWithCron_isFoundAnew_unlessSomebodyHasChosenIt() throws Exception {
        install();
        database.execute("INSERT INTO task (input, cron, plan) SELECT 'SELECT ' || i, '0 3 * * *', '2100-01-01 03:00Z'"
                + " FROM generate_series(1, 3) i");
        long point =
                TimeUnit.SECONDS.toMicros(Instant.parse("2100-01-01T03:00:00Z").getEpochSecond());
        try (LeaderSession leader = leader()) {
            TaskClockWatch watch = new TaskClockWatch(leader, Duration.ZERO);
            assertThat(watch.step()).isFalse();
            watch.aligned(1, microsIn(Duration.ofHours(8)), point);
            // This one was given another time after that.
            watch.aligned(3, microsIn(Duration.ZERO), point - 1);
            assertThat(watch.step()).isTrue();
            assertThat(database.value("SELECT string_agg(input, ', ' ORDER BY id) FROM task WHERE plan <= now()"))
                    .isEqualTo("SELECT 1");
            assertThat(watch.step()).isFalse();
        }
    }
}
