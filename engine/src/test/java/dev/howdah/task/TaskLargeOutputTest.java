package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Long values and many rows arrive whole. */
@Tag("long")
@PostgresTest
class TaskLargeOutputTest {
    @Test
    void output_large_arrivesWhole(TestDatabase database) {
        try (ServedTable tasks = ServedTable.in(database)) {
            long rows = tasks.add("SELECT i AS a, i + 1 AS b FROM generate_series(1, 1000000) i");
            long bytes = tasks.add("SELECT repeat('x', 1000000) FROM generate_series(1, 100)");
            tasks.awaitTrue("SELECT count(*) = 2 FROM task WHERE state = 'DONE'");
            assertThat(database.value(
                            "SELECT md5(output) = (SELECT md5(E'a\\tb\\n' || string_agg(i || E'\\t' || i + 1, E'\\n'"
                                    + " ORDER BY i)) FROM generate_series(1, 1000000) i) FROM task WHERE id = " + rows))
                    .isEqualTo("t");
            assertThat(database.value("SELECT length(output) FROM task WHERE id = " + bytes))
                    .isEqualTo(Integer.toString(100 * 1_000_000 + 99));
        }
    }
}
