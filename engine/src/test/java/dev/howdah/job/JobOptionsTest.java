package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The options of the SQL functions that add jobs. */
@PostgresTest
class JobOptionsTest {
    private final JobsDatabase database;

    JobOptionsTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private List<String> mores() {
        return database
                .rows(
                        "SELECT COALESCE((more - 'ordered' - 'key')::text, '{}') FROM"
                                + " (SELECT id, more FROM howdah_internal.job UNION ALL SELECT id, more FROM howdah_internal.ordered) j ORDER BY id")
                .stream()
                .map(row -> String.valueOf(row.get(0)))
                .toList();
    }

    @Test
    void options_ofEachFunction_areInTheJob() {
        String tags = "options => '{\"tags\": [\"vip\", \"eu\", \"vip\"]}'";
        for (String payload : List.of("'1'", "'1'::json", "'1'::jsonb")) {
            database.execute("SELECT howdah.add('q', 'k', " + payload + ", " + tags + ")");
            database.execute("SELECT howdah.add_ordered('q', 'k', " + payload + ", 'o', " + tags + ")");
        }
        for (String type : List.of("text[]", "json[]", "jsonb[]")) {
            database.execute("SELECT howdah.add_many('q', 'k', '{1}'::" + type + ", " + tags + ")");
            database.execute("SELECT * FROM howdah.add_keyed_many('q', 'k', '{1}'::" + type + ", '{" + type.charAt(0)
                    + type.length() + "}', " + tags + ")");
        }
        database.execute("SELECT howdah.add('q', 'k', '1', key => 'a', " + tags + ")");
        assertThat(mores()).hasSize(13).containsOnly("{\"tags\": [\"eu\", \"vip\"]}");
    }

    @Test
    void options_inAnArray_areOneForEachJob() {
        String each = "options => '[{\"tags\": [\"a\"]}, null, {\"metadata\": {\"x\": null}, \"tags\": null}]'";
        List<String> expected = List.of("{\"tags\": [\"a\"]}", "{}", "{\"metadata\": {\"x\": null}}");
        database.execute("SELECT howdah.add_many('q', 'k', '{1,2,3}'::json[], " + each + ")");
        assertThat(mores()).isEqualTo(expected);
        database.execute("DELETE FROM howdah_internal.job");
        database.execute(
                "SELECT * FROM howdah.add_keyed_many('q', 'k', '{1,2,3}'::json[], '{a,b,NULL}', " + each + ")");
        assertThat(mores()).isEqualTo(expected);
        assertThatThrownBy(() -> database.execute("SELECT howdah.add_many('q', 'k', '{1,2}'::json[], " + each + ")"))
                .hasMessageContaining("options for 3 jobs, and 2 jobs");
    }

    @Test
    void options_withNothing_leaveTheJobAsItIs() {
        for (String none :
                List.of("NULL", "'null'", "'{}'", "'{\"tags\": []}'", "'{\"metadata\": {}, \"tags\": null}'"))
            database.execute("SELECT howdah.add('q', 'k', '1', options => " + none + ")");
        assertThat(database.number("SELECT count(*) FROM howdah_internal.job WHERE more IS NULL"))
                .isEqualTo(5);
    }

    @Test
    void options_thatAreWrong_areRefusedWithWhatIsRight() {
        Map<String, String> wrong = Map.of(
                "[]", "options of []: they have to be a JSON object",
                "{\"tag\": [\"a\"]}", "there is no option \"tag\"",
                "{\"priority\": 1}", "priority is an argument of its own",
                "{\"tags\": \"eu\"}", "the option tags is \"eu\": it has to be an array of texts",
                "{\"tags\": [1]}", "a tag of 1: it has to be a text of 1 to 100 characters",
                "{\"tags\": [\"\"]}", "a tag of \"\"",
                "{\"metadata\": [1]}", "the option metadata is [1]: it has to be a JSON object");
        wrong.forEach((options, message) -> assertThatThrownBy(
                        () -> database.execute("SELECT howdah.add('q', 'k', '1', options => '" + options + "')"))
                .as(options)
                .hasMessageContaining(message));
        assertThatThrownBy(() -> database.execute("SELECT howdah.add('q', 'k', '1', options => jsonb_build_object("
                        + "'metadata', jsonb_build_object('x', repeat('y', 5000))))"))
                .hasMessageContaining("metadata of 5009 bytes: 4096 at most");
        assertThatThrownBy(() -> database.execute("SELECT howdah.add('q', 'k', '1', options => jsonb_build_object("
                        + "'tags', (SELECT jsonb_agg(n::text) FROM generate_series(1, 21) n)))"))
                .hasMessageContaining("21 tags: a job has 20 at most");
        assertThat(database.waiting()).isZero();
    }

    @Test // a transaction's trace was written beside the attributes of the job
    void addKeyedMany_inATrace_keepsTheContext() {
        database.execute("SELECT set_config('howdah.traceparent', '00-' || repeat('a', 32) || '-' || repeat('b', 16)"
                + " || '-01', false); SELECT * FROM howdah.add_keyed_many('q', 'k', '{1}'::json[], '{a}')");
        assertThat(database.text("SELECT more #>> '{trace,traceparent}' FROM howdah_internal.job"))
                .startsWith("00-aaaa");
    }
}
