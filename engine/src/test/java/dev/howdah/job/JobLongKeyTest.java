package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.sql.Plans;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.unique.Unique;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Keys of 400 characters, and many of them. With {@code -Dhowdah.rows=1000000} a million. */
@PostgresTest
class JobLongKeyTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);
    private static final int ROWS = Integer.getInteger("howdah.rows", 50_000);
    private static final String PREFIX = "x".repeat(390);

    private final JobsDatabase database;

    JobLongKeyTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    /** All but the last ten characters are the same. */
    private static String key(int number) {
        return PREFIX + String.format("%010d", number);
    }

    @Test
    void keysOf400Characters_amongVeryMany_areFoundByTheIndex() throws SQLException {
        try (Jobs jobs = database.jobs().start();
                Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            long first = jobs.add(NewJob.of(WORK, 0).key(key(0))).id();
            database.execute(
                    "INSERT INTO howdah_internal.key (queue, kind, key, job) SELECT k.queue, k.kind, left(k.key, 390) || lpad(i::text, 10, '0'), -i"
                            + " FROM howdah_internal.key k, generate_series(1, " + ROWS
                            + ") i; ANALYZE howdah_internal.key");
            connection.setAutoCommit(false);
            long before = Plans.rowsRead(statement);
            AddResult held = jobs.add(connection, NewJob.of(WORK, 1).key(key(0)));
            AddResult fresh = jobs.add(connection, NewJob.of(WORK, 1).key(key(ROWS + 1)));
            List<NewJob<Integer>> many = new ArrayList<>();
            for (int i = 0; i < 100; i++) many.add(NewJob.of(WORK, i).key(key(ROWS + 2 + i)));
            List<AddResult> added = jobs.addEach(connection, many);
            List<AddResult> again = jobs.addEach(connection, many);
            AddResult replaced = jobs.add(
                    connection, NewJob.of(WORK, 2).unique(Unique.byKey(key(0)).replacing()));
            assertThat(Plans.rowsRead(statement) - before).isLessThan(2_000);
            connection.commit();
            assertThat(held).isEqualTo(new AddResult(first, false));
            assertThat(fresh.added()).isTrue();
            assertThat(added).allMatch(AddResult::added);
            assertThat(again).noneMatch(AddResult::added);
            assertThat(replaced.id()).isEqualTo(first);
            assertThat(jobs.admin()
                            .list(JobQuery.in(JobState.WAITING).key(key(ROWS + 1)))
                            .jobs())
                    .extracting(each -> each.id())
                    .containsExactly(fresh.id());
            before = Plans.rowsRead(statement);
            statement.execute("SELECT howdah_internal.keys_settle(ARRAY[" + first + "], true)");
            assertThat(Plans.rowsRead(statement) - before).isLessThan(100);
        }
    }

    @Test // an entry of an index has at most 2,704 bytes
    void keyAndKind_ofTheLongestCharacters_fitTheIndex() {
        Random random = new Random(7);
        String kind = emojis(random, 200);
        String key = emojis(random, 400);
        Kind<Integer> longest = Kind.of(kind, Integer.class);
        try (Jobs jobs =
                database.jobs().queues("q").handle(longest, (number, job) -> {}).start()) {
            AddResult one = jobs.add(NewJob.of(longest, 1).queue("q").key(key));
            database.awaitLetters(one.id(), "d");
            assertThat(jobs.addEach(List.of(NewJob.of(longest, 2).queue("q").key(key))))
                    .allMatch(AddResult::added);
        }
    }

    private static String emojis(Random random, int characters) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < characters; i++) text.appendCodePoint(0x1F300 + random.nextInt(0x300));
        return text.toString();
    }

    @Test
    void keyOf401Characters_amongMany_isRefusedInWordsAndNoneIsAdded() {
        String words = "a key has 1 to 400 characters, not 401";
        String longer = key(1) + "y";
        try (Jobs jobs = database.jobs().start()) {
            assertThatThrownBy(() -> jobs.add(NewJob.of(WORK, 1).key(longer))).hasMessageContaining("400");
            List<NewJob<Integer>> many = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) many.add(NewJob.of(WORK, i).key(key(i)));
            assertThat(jobs.addEach(many)).allMatch(AddResult::added);
        }
        for (String sql : List.of(
                "SELECT howdah.add('q', 'work', '1', key => '" + longer + "')",
                "SELECT howdah.add_keyed_many('q', 'work', ARRAY(SELECT '1'::json FROM generate_series(1, 1000)),"
                        + " ARRAY(SELECT left('" + longer
                        + "', CASE WHEN i = 700 THEN 401 ELSE 380 END) || CASE WHEN i <> 700 THEN i::text ELSE '' END"
                        + " FROM generate_series(1, 1000) i))"))
            assertThatThrownBy(() -> database.execute(sql)).hasMessageContaining(words);
        assertThat(database.number("SELECT count(*) FROM howdah_internal.key")).isEqualTo(1_000);
        assertThat(database.number("SELECT count(*) FROM howdah_internal.job")).isEqualTo(1_000);
    }
}
