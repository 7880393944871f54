package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Any key, any order. */
@PostgresTest
class SweepKeyTest {
    private final SweepDatabase database;

    SweepKeyTest(TestDatabase database) {
        this.database = SweepDatabase.in(database, 1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            quoteCharacter = '`',
            value = {
                "a uuid # md5(i::text)::uuid # a # ",
                "a timestamp # CASE i WHEN 1 THEN 'infinity' WHEN 2 THEN '-infinity' WHEN 3 THEN '0044-03-15 BC' WHEN 4 THEN '12026-01-01' ELSE timestamp '2026-01-01' + i * interval '0.1 s' END # a # ",
                "a bytea, b timestamptz # CASE WHEN i % 5 = 0 THEN '' ELSE decode(to_hex(4096 + i / 5), 'hex') END, CASE i WHEN 5 THEN timestamptz '-infinity' WHEN 10 THEN 'infinity' ELSE timestamptz '2026-01-01' + i * interval '1 ms' END # a,b # b",
                "a text, b integer # 'x' || i, i % 10 # a # b DESC"
            })
    void rows_ofAnyKeyAndOrder_areAllDoneOnce(String columns, String values, String key, String order)
            throws InterruptedException {
        database.execute("CREATE TABLE \"any Thing\" (" + columns
                + ", state text, done integer NOT NULL DEFAULT 0, PRIMARY KEY ("
                + key + "));"
                + (order == null
                        ? ""
                        : " CREATE INDEX ON \"any Thing\" (" + order.replace(" DESC", "") + ", " + key + ");")
                + " INSERT INTO \"any Thing\" SELECT " + values + " FROM generate_series(1, 500) i");
        Set<String> seen = ConcurrentHashMap.newKeySet();
        SweepBuilder builder = Sweep.on(database.dataSource())
                .name("any")
                .table("\"any Thing\"")
                .where("state IS NULL")
                .key(key.split(","))
                .mark("state = 'x', done = done + 1")
                .batch(40)
                .forEachRow(row -> assertThat(seen.add(row.key().toString())).isTrue());
        if (order != null) builder.orderBy(order);
        try (Sweep sweep = builder.start()) {
            assertThat(sweep.join().failed()).isZero();
        }
        assertThat(seen).hasSize(500);
        assertThat(database.number("SELECT sum(done) FROM \"any Thing\"")).isEqualTo(500);
        database.execute("UPDATE \"any Thing\" SET state = NULL");
        SweepBuilder marks = Sweep.on(database.dataSource())
                .name("marks")
                .table("\"any Thing\"")
                .where("state IS NULL")
                .key(key.split(","))
                .mark("state = 'x', done = done + 1");
        if (order != null) marks.orderBy(order);
        try (Sweep sweep = marks.start()) {
            assertThat(sweep.join().done()).isEqualTo(500);
        }
        assertThat(database.number("SELECT sum(done) FROM \"any Thing\"")).isEqualTo(1000);
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource(
            delimiter = '#',
            quoteCharacter = '`',
            value = {
                "a smallint # i # a # ",
                "a bigint # i * 10000000000 # a # ",
                "a text # 'k\"{},\\ ''' || i # a # ",
                "a varchar(20) # 'Ä ' || i # a # ",
                "a char(8) # 'c' || i # a # ",
                "a numeric # i / 3.0 # a # ",
                "a date # date '2026-01-01' + i # a # ",
                "a timestamptz # timestamptz '2026-10-25 00:00+02' + i * interval '1 min 0.000001 s' # a # ",
                "a bytea # decode(lpad(to_hex(i * 7919), 8, '0') || '00ff5c27', 'hex') # a # ",
                "a boolean, b inet, c oid # i % 2 = 0, inet '10.0.0.0/8' + i / 2, i # a,b,c # ",
                "a integer, b text # i / 7, 'x' || i # a,b # ",
                "a uuid, b smallint, c date # md5((i / 5)::text)::uuid, i, date '2026-01-01' + i # a,b,c # ",
                "a integer, b timestamptz # i, CASE WHEN i % 3 > 0 THEN timestamptz '2026-01-01' + (i % 50) * interval '1 h' END # a # b",
                "\"A b\" integer, b integer # i, i % 10 # \"A b\" # b"
            })
    void rows_ofFurtherKeysAndOrders_areAllDoneOnce(String columns, String values, String key, String order)
            throws InterruptedException {
        rows_ofAnyKeyAndOrder_areAllDoneOnce(columns, values, key, order);
    }

    /** Each session of a process has the settings of its own: another time zone, another form of bytes. */
    private DataSource set(String zone) {
        PGSimpleDataSource source = new PGSimpleDataSource() {
            private static final long serialVersionUID = 1;

            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                try (Statement statement = connection.createStatement()) {
                    statement.execute("SET TimeZone = '" + zone + "'; SET bytea_output = '"
                            + (zone.equals("UTC") ? "hex" : "escape") + "'");
                }
                return connection;
            }
        };
        source.setUrl(database.source().getUrl());
        source.setUser("postgres");
        return source;
    }

    @ParameterizedTest
    @ValueSource(strings = {"t", "b"})
    void rows_keyedByTimesAndBytes_areTheSameForProcessesWithOtherSettings(String key) throws InterruptedException {
        database.execute(
                "CREATE TABLE call (t timestamptz NOT NULL UNIQUE, b bytea NOT NULL UNIQUE, done integer NOT NULL DEFAULT 0);"
                        + " INSERT INTO call SELECT timestamptz '2026-10-25 00:30+02' + i * interval '7 min 0.000001 s',"
                        + " decode(md5(i::text), 'hex') FROM generate_series(1, 600) i;"
                        + " INSERT INTO call VALUES ('infinity', ''), ('-infinity', '\\x00'), ('0044-03-15 12:00+00 BC', '\\x5c'),"
                        + " ('0001-01-01 00:00+00', '\\x5c78'), ('12026-01-01 00:00:00.000001+00', '\\x27')");
        Set<List<String>> seen = ConcurrentHashMap.newKeySet();
        List<Sweep> sweeps = new ArrayList<>();
        try {
            for (String zone : List.of("UTC", "America/New_York", "Europe/Berlin"))
                sweeps.add(Sweep.on(set(zone))
                        .name("calls")
                        .table("call")
                        .where("done = 0")
                        .key(key)
                        .mark("done = done + 1")
                        .batch(7)
                        .maxFailures(0)
                        .retries(RetryPolicy.never())
                        .forEachRow(row -> {
                            if (!seen.add(row.key())) throw new IllegalStateException("twice");
                            if (seen.size() % 50 == 0) throw new IllegalStateException("no answer");
                        })
                        .start());
            for (Sweep each : sweeps) each.join();
        } finally {
            sweeps.forEach(Sweep::close);
        }
        assertThat(seen).hasSize(605);
        assertThat(database.number("SELECT count(*) FROM call WHERE done = 1")
                        + database.number("SELECT count(*) FROM howdah.sweep_error"))
                .isEqualTo(605);
        assertThat(database.number("SELECT count(*) FROM howdah.sweep_error WHERE error LIKE '%twice%'"))
                .isZero();
        assertThat(database.number("SELECT count(*) FROM call c JOIN howdah.sweep_error e ON c." + key + " = e.key[1]::"
                        + (key.equals("t") ? "timestamptz" : "bytea") + " AND c.done = 0"))
                .as("the text of a key is its value")
                .isEqualTo(database.number("SELECT count(*) FROM howdah.sweep_error"));
        if (key.equals("t"))
            assertThat(seen)
                    .contains(
                            List.of("2026-10-24 22:37:00.000001+00"),
                            List.of("infinity"),
                            List.of("-infinity"),
                            List.of("0044-03-15 12:00:00.000000+00 BC"),
                            List.of("0001-01-01 00:00:00.000000+00"),
                            List.of("12026-01-01 00:00:00.000001+00"));
        else
            assertThat(seen)
                    .contains(List.of("\\x"), List.of("\\x00"), List.of("\\x5c"), List.of("\\x5c78"), List.of("\\x27"));
    }
}
