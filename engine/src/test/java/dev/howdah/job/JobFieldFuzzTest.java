package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rows as a role with the duty {@code producer} may write them, with any values: jobs of others go on, and a row that cannot be
 * read fails or waits alone. {@code -Dhowdah.fuzz.seed} and {@code -Dhowdah.fuzz.rounds} make it another or a longer one.
 */
@PostgresTest
class JobFieldFuzzTest {
    private static final Kind<String> HONEST = Kind.of("honest", String.class);
    private static final int ROUNDS = Integer.getInteger("howdah.fuzz.rounds", 8);
    private static final int ROWS = 40;

    private static final List<String> ATTRIBUTES = List.of(
            "attempts",
            "timeout",
            "key",
            "version",
            "until",
            "created",
            "error",
            "tags",
            "metadata",
            "trace",
            "group",
            "flow",
            "graph",
            "stages",
            "stage",
            "ordered",
            "steps",
            "unknown",
            "");
    private static final List<String> VALUES = List.of(
            "null",
            "true",
            "\"\"",
            "\"x\"",
            "-1",
            "0",
            "1",
            "3.5",
            "32768",
            "2147483648",
            "9223372036854775808",
            "1e400",
            "\"NaN\"",
            "\"infinity\"",
            "\"-infinity\"",
            "\"2026-02-30\"",
            "\"294277-01-01\"",
            "[]",
            "[[]]",
            "[null]",
            "[1, \"a\"]",
            "{}",
            "{\"a\": {\"b\": []}}",
            "{\"id\": 1}",
            "{\"id\": \"x\"}",
            "\"'; DROP TABLE howdah_internal.job; --\"",
            "\"\\u00e4\\uffff\"");
    private static final List<String> TIMES = List.of(
            "now", "-infinity", "4714-11-24 00:00:00+00 BC", "0001-01-01", "1970-01-01", "294276-12-31", "infinity");

    private final TestDatabase server;
    private final JobsDatabase database;
    private final Random random;
    private final long seed = Long.getLong("howdah.fuzz.seed", 1);
    private final Set<String> ran = ConcurrentHashMap.newKeySet();

    JobFieldFuzzTest(TestDatabase database) {
        this.server = database;
        this.database = JobsDatabase.in(database);
        this.random = new Random(seed);
    }

    private <T> T any(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    private String value() {
        return random.nextInt(20) == 0 ? "\"" + "x".repeat(5_000) + "\"" : any(VALUES);
    }

    private String attributes() {
        if (random.nextInt(10) == 0) return value();
        List<String> members = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--) members.add("\"" + any(ATTRIBUTES) + "\": " + value());
        return "{" + String.join(", ", members) + "}";
    }

    /** Inserts rows one by one; the server refuses some of them, which is well. */
    private int insertOdd(Connection producer) throws SQLException {
        int taken = 0;
        String sql = "INSERT INTO howdah_internal.job (lane, kind, priority, run_at, payload, more)"
                + " VALUES (?, ?, ?, ?::timestamptz, ?::json, ?::jsonb)";
        try (PreparedStatement statement = producer.prepareStatement(sql)) {
            for (int i = 0; i < ROWS; i++) {
                statement.setInt(1, random.nextInt(10) == 0 ? random.nextInt() : 1);
                statement.setString(2, random.nextInt(4) == 0 ? "k" + random.nextInt(5) : "odd");
                statement.setInt(3, random.nextInt(220) - 110);
                statement.setString(4, any(TIMES));
                statement.setString(5, random.nextInt(5) == 0 ? null : value());
                statement.setString(6, random.nextInt(5) == 0 ? null : attributes());
                try {
                    taken += statement.executeUpdate();
                } catch (SQLException e) {
                    // Nothing that the table takes.
                }
            }
        }
        return taken;
    }

    private Jobs jobs() {
        return database.jobs()
                .concurrency(4)
                .defaultRetries(RetryPolicy.after(Duration.ofMillis(10)))
                .handle(HONEST, (payload, job) -> ran.add(payload))
                .handle(Kind.of("odd", Object.class), (payload, job) -> {
                    if (payload instanceof Number) throw new IllegalStateException("a number");
                })
                .start();
    }

    @ParameterizedTest // one such row made each claim fail: "cannot subtract infinite timestamps", "timestamp out of
    // range"
    @ValueSource(strings = {"-infinity", "4714-11-24 00:00:00+00 BC", "294276-12-31", "infinity"})
    void time_atTheEndsOfTheCalendar_isRefused(String time) {
        assertThatThrownBy(() -> database.execute("INSERT INTO howdah_internal.job (lane, kind, run_at, payload)"
                        + " VALUES (1, 'odd', '" + time + "', '1')"))
                .hasMessageContaining("job_run_at_check");
    }

    @Test
    void rows_withAnyValues_leaveJobsOfOthersAlone() throws SQLException {
        server.execute("CREATE ROLE " + server.name() + "_producer LOGIN; SELECT howdah.allow('" + server.name()
                + "_producer', 'producer')");
        int taken = 0;
        try (Jobs jobs = jobs();
                Connection producer =
                        JobsDatabase.as(server, server.name() + "_producer").getConnection()) {
            for (int round = 0; round < ROUNDS; round++) {
                List<String> honest = new ArrayList<>();
                for (int i = 0; i < 20; i++) honest.add("round " + round + ", " + i);
                taken += insertOdd(producer);
                jobs.addAll(honest.stream().map(each -> NewJob.of(HONEST, each)).toList());
                taken += insertOdd(producer);
                JobsDatabase.awaiting("seed " + seed + ", round " + round + ": jobs of others run")
                        .until(() -> ran.containsAll(honest));
            }
            JobsDatabase.awaiting("seed " + seed + ": no batch stays open")
                    .until(() ->
                            database.number("SELECT count(*) FROM howdah_internal.batch WHERE ended IS NULL") == 0);
        } finally {
            server.execute("DROP OWNED BY " + server.name() + "_producer; DROP ROLE " + server.name() + "_producer");
        }
        assertThat(taken).as("rows that the table takes").isGreaterThan(ROUNDS * ROWS / 4);
        assertThat(database.number("SELECT count(*) FROM howdah_internal.failed WHERE kind = 'honest'"))
                .isZero();
    }
}
