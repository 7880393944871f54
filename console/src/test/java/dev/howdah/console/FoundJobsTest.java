package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** How jobs are found by what stands in them, and what is seen of their changes. */
class FoundJobsTest extends ApiTestBase {
    FoundJobsTest(TestDatabase database) {
        super(database);
    }

    @Override
    void install() throws SQLException {
        ConsoleFixtures.jobs(database);
        database.execute(
                "SELECT howdah.add('mail', 'welcome', json_build_object('customer', n, 'invoice', 'INV-' || n),"
                        + " key => 'customer:' || n, options => '{\"tags\": [\"shop\"]}') FROM generate_series(1, 30) n");
    }

    @Override
    ConsoleBuilder console() {
        return ConsoleFixtures.console(database);
    }

    private String page(String path) {
        return ConsoleFixtures.text(new ConsoleClient(console.address()).get(path));
    }

    @Test
    void valueOfThePayload_isSearchedFor() {
        assertThat(page("/jobs?state=waiting&payload=invoice%3DINV-17"))
                .contains("data-row=\"17\"")
                .doesNotContain("data-row=\"16\"");
        assertThat(page("/search?q=customer%3D7"))
                .contains("waiting jobs with customer=7 in the payload", "/jobs?state=failed&amp;payload=customer%3D7");
        assertThat(api.get("/jobs?state=waiting&payload=customer%3D7")
                        .json()
                        .at("/items/0/id")
                        .asText())
                .isEqualTo("7");
    }

    @Test
    void filters_suggestWhatThereIs_andTakeHours() {
        database.execute(
                "INSERT INTO howdah_internal.stat SELECT date_trunc('minute', now()), 1, 'print', 1, 0, 0, 0, 0, 0, 0");
        assertThat(page("/jobs?state=waiting"))
                .contains(
                        "<datalist id=\"queues\"><option value=\"mail\">",
                        "<datalist id=\"kinds\"><option value=\"print\">",
                        "<option value=\"customer:30\">",
                        "<datalist id=\"tags\"><option value=\"shop\">",
                        "<input type=\"datetime-local\" name=\"from\"");
        String hour = "2030-05-01T10:30";
        assertThat(page("/jobs?state=waiting&until=" + hour)).contains("value=\"" + hour + "\"", "data-row=\"30\"");
        assertThat(page("/jobs?state=waiting&from=" + hour)).contains("No waiting job matches these filters.");
        assertThat(page("/jobs?state=waiting&from=-1h")).contains("type=\"text\" name=\"from\" value=\"-1h\"");
    }

    @Test
    void reasonOfACancel_standsOnThePageOfTheJob() {
        ConsoleClient client = new ConsoleClient(console.address());
        client.post("/jobs/12/cancel", "confirmed=yes&reason=wrong+tenant,+see+OPS-7");
        assertThat(page("/jobs/12"))
                .contains("<h2>Changed by</h2>", "wrong tenant, see OPS-7")
                .containsPattern("<li>cancel <span class=\"dim\">by</span>");
        assertThat(page("/jobs/1")).doesNotContain("Changed by", "OPS-7");
    }

    @Test
    void scheduleThatIsEdited_showsOldAndNew_beforeItIsStored() {
        database.execute(
                "SELECT howdah.schedule('nightly', 'mail', 'welcome', '{}', cron => '30 3 * * *', zone => 'Europe/Berlin')");
        ConsoleClient client = new ConsoleClient(console.address());
        String form = "check=yes&cron=0+4+*+*+*&zone=Europe/Berlin&kind=welcome&queue=mail&payload=%7B%7D";
        assertThat(client.post("/schedules/nightly/edit", form).body().replaceAll("\\s+", " "))
                .contains("What is changed", "<del>30 3 * * *</del>", "<ins>0 4 * * *</ins>")
                .doesNotContain("<del>Europe/Berlin");
        assertThat(database.value("SELECT cron FROM howdah.schedule")).isEqualTo("30 3 * * *");
    }
}
