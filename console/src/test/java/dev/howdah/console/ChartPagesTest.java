package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Charts of all jobs, of a queue and of a kind. */
class ChartPagesTest extends ApiTestBase {
    private static final Pattern FAILED = Pattern.compile("<a href=\"(/jobs\\?state=failed[^\"]*)\" tabindex");

    ChartPagesTest(TestDatabase database) {
        super(database);
    }

    @Override
    void install() throws SQLException {
        ConsoleFixtures.jobs(database);
        database.execute(
                "SELECT howdah.add(q, k, '1') FROM unnest(ARRAY['mail', 'shop']) q, unnest(ARRAY['send', 'print']) k;"
                        + " INSERT INTO howdah_internal.stat SELECT date_trunc('minute', now() - interval '5 min'), l.id, k.kind, 90, 3,"
                        + " CASE WHEN l.queue = 'mail' AND k.kind = 'send' THEN 10 ELSE 0 END, 0, 0, 90000000, 2000000"
                        + " FROM howdah_internal.lane l, unnest(ARRAY['send', 'print']) k (kind);"
                        + " INSERT INTO howdah_internal.failed (id, lane, state, kind, priority, attempt, deaths, run_at, ended, error, payload)"
                        + " SELECT 777, l.id, 'failed', 'send', 0, 1, 0, now(), date_trunc('minute', now() - interval '5 min') + interval '9 s',"
                        + " 'boom', '1' FROM howdah_internal.lane l WHERE l.queue = 'mail' LIMIT 1;"
                        + " INSERT INTO howdah_internal.batch (id, token, node, lane, taken, ended, begun, alone, jobs, first_id, last_id, ids,"
                        + " run_at, kind, payloads, outcomes) SELECT extract(epoch FROM t)::bigint * 1000000 + l.id, 1, 1, l.id, t, t, true, false, 1, 1, 1,"
                        + " '{1}', t - CASE WHEN l.queue = 'mail' THEN interval '8 s' ELSE '1 s' END, 'send', ARRAY['1'::json], 'g'"
                        + " FROM howdah_internal.lane l, (SELECT now() - interval '5 min') n (t)");
    }

    @Override
    ConsoleBuilder console() {
        return ConsoleFixtures.console(database);
    }

    private String page(String path) {
        return ConsoleFixtures.text(new ConsoleClient(console.address()).get(path));
    }

    @Test
    void charts_sayWhatEndedHowMuchFailedAndHowLongJobsWaited() {
        assertThat(page("/"))
                .contains(
                        "Jobs that ended, by minute",
                        "10 failed",
                        "Failure rate",
                        "Time that jobs waited after they were due")
                .contains(
                        "<span>400</span><span>200</span><span>0</span>",
                        "done ones ran 1.0 s on average, 2.0 s at the longest")
                .contains("<a class=\"fail\" href=\"/jobs/errors?state=failed&amp;kind=send\">10</a>");
        assertThat(page("/jobs/queues/mail"))
                .contains("180 done", "5.3 % of those that ended for good", "half within 8.0 s, 99 % within 8.0 s");
        assertThat(page("/jobs/queues/shop")).contains("0 % of those", "half within 1.0 s");
    }

    @Test
    void kind_isChosenInAnAddress() {
        assertThat(page("/jobs/queues/mail?kind=print&range=24h"))
                .contains("Over time, kind print", "90 done", "0 failed", "Jobs that ended, by 20 min")
                .contains("href=\"/jobs/queues/mail?range=24h\">all kinds</a>")
                .doesNotContain("Time that jobs waited");
        assertThat(new ConsoleClient(console.address())
                        .get("/jobs/queues/mail?range=2h")
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void bar_leadsToItsJobs() {
        Matcher bar = FAILED.matcher(page("/jobs/queues/mail"));
        assertThat(bar.find()).isTrue();
        assertThat(page(bar.group(1).replace("&amp;", "&"))).contains("data-row=\"777\"", "boom");
    }
}
