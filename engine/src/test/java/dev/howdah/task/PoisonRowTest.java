package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Rows that kill the extension's scheduler suffer alone, in the midst of others. */
@Tag("long")
@PostgresTest
class PoisonRowTest {
    private final Scheduled tasks;

    PoisonRowTest(TestDatabase database) {
        this.tasks = Scheduled.at(database.uri()).withWork();
    }

    @AfterEach
    void close() {
        tasks.close();
    }

    private record Poison(String column, String value, String end) {}

    private static final List<Poison> POISONS = List.of(
            new Poison("timeout", "'1 month'", "DONE"),
            new Poison("timeout", "'100000 years'", "DONE"),
            new Poison("delimiter", "'é'", "FAIL"),
            new Poison("quote", "'é'", "FAIL"),
            new Poison("max", "-2147483648", "DONE"),
            new Poison("plan", "'-infinity'", "GONE"),
            new Poison("active", "'1 microsecond'", "GONE"),
            new Poison("live", "'100000 years'", "DONE"),
            new Poison("count", "2147483647", "DONE"),
            new Poison("remote", "'=nonsense'", "FAIL"),
            new Poison("remote", "'host=127.0.0.1 port=1 connect_timeout=2'", "FAIL"),
            new Poison("input", "E'SELECT \\u0001'", "FAIL"),
            new Poison("input", "'COPY task FROM STDIN'", "FAIL"),
            new Poison("input", "'SELECT pg_terminate_backend(pg_backend_pid())'", "FAIL"),
            new Poison("input", "'SELECT length(''' || repeat('x', 10000000) || ''')'", "DONE"),
            new Poison("input", "'SET ROLE pg_monitor; SET default_transaction_read_only = on; BEGIN'", "DONE"),
            new Poison("input", "'SELECT pg_advisory_unlock_all()'", "DONE"));

    @Test
    void rows_ofEveryPoison_endInTheirOwnWayAndTheirGroupGoesOn() {
        tasks.serve();
        for (int i = 0; i < POISONS.size(); i++) {
            Poison poison = POISONS.get(i);
            boolean text = poison.column().equals("input");
            tasks.execute("INSERT INTO task (\"group\", data, input" + (text ? "" : ", " + poison.column())
                    + ") VALUES ('all', 'poison " + i + "', " + (text ? "" : "'SELECT 1', ") + poison.value() + ")");
            tasks.execute("INSERT INTO task (\"group\", data, input) VALUES ('all', 'good', 'SELECT work(0)')");
        }
        tasks.awaitEnded(2L * POISONS.size());
        assertThat(tasks.list(
                        "SELECT id || ' ' || state || ' ' || error FROM task WHERE data = 'good' AND state <> 'DONE'"))
                .isEmpty();
        for (int i = 0; i < POISONS.size(); i++)
            assertThat(tasks.value("SELECT state FROM task WHERE data = 'poison " + i + "'"))
                    .as(POISONS.get(i).toString())
                    .isEqualTo(POISONS.get(i).end());
        assertThat(tasks.list("SELECT data FROM task WHERE state IN ('FAIL', 'GONE') AND error IS NULL"))
                .isEmpty();
        assertThat(tasks.times("active")).as("terms").isEqualTo(1);
    }
}
