package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** PostgreSQL 13 does not end idle sessions: processes end the session of a frozen one. */
@Tag("long")
class SweepFrozenOnOldestTest {
    private static final int ROWS = 500;

    @Test
    void process_frozenOnPostgreSQL13_itsRowsAreDoneByOthers() throws InterruptedException {
        try (TestDatabase made =
                TestDatabase.create(TestServer.of(TestServer.majors().get(0)))) {
            SweepDatabase database = SweepDatabase.in(made, ROWS);
            try (SweepProcess frozen = SweepProcess.at(database.uri(), true)) {
                SweepDatabase.awaiting("it works").until(() -> !frozen.said().isEmpty());
                frozen.child().freeze();
                try (Sweep sweep = database.mailing().forEachRow(row -> {}).start()) {
                    assertThat(sweep.join().done()).isEqualTo(ROWS);
                }
                assertThat(database.mails()).isEqualTo("1:" + ROWS);
                frozen.child().thaw();
            }
        }
    }
}
