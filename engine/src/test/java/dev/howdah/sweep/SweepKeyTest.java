package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** S4 and S11: any key, any order. */
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
                "a smallint # i # a # ",
                "a bigint # i * 10000000000 # a # ",
                "a uuid # md5(i::text)::uuid # a # ",
                "a text # 'k\"{},\\ ''' || i # a # ",
                "a varchar(20) # 'Ä ' || i # a # ",
                "a char(8) # 'c' || i # a # ",
                "a numeric # i / 3.0 # a # ",
                "a date # date '2026-01-01' + i # a # ",
                "a integer, b text # i / 7, 'x' || i # a,b # ",
                "a uuid, b smallint, c date # md5((i / 5)::text)::uuid, i, date '2026-01-01' + i # a,b,c # ",
                "a integer, b timestamptz # i, CASE WHEN i % 3 > 0 THEN timestamptz '2026-01-01' + (i % 50) * interval '1 h' END # a # b",
                "a text, b integer # 'x' || i, i % 10 # a # b DESC",
                "\"A b\" integer, b integer # i, i % 10 # \"A b\" # b",
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
}
