package dev.howdah.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Keys, the palette, columns that are chosen, and moments that are typed. */
@Tag("long")
@PostgresTest
class BrowserKeysTest {
    private static Chromium chromium;

    private final TestDatabase database;
    private Console console;
    private BrowserContext context;
    private Page page;

    BrowserKeysTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    static void launch() {
        chromium = new Chromium();
    }

    @AfterAll
    static void quit() {
        if (chromium != null) chromium.close();
    }

    @BeforeEach
    void start() {
        ConsoleFixtures.tasksAndJobs(database);
        database.execute(
                "INSERT INTO howdah_internal.failed (id, lane, state, kind, priority, attempt, deaths, run_at, error, payload)"
                        + " SELECT 1000 + n, howdah_internal.lane_of('mail', 'charge', 0::smallint), 'failed', 'charge', 0, 3, 0, now(),"
                        + " E'boom\\n\\tat com.example.Billing.charge(Billing.java:42)', to_json(n) FROM generate_series(1, 3) n;"
                        + " SELECT howdah.add('mail', 'charge', '1')");
        console = ConsoleFixtures.console(database).start();
        context = chromium.browser()
                .newContext(new Browser.NewContextOptions()
                        .setViewportSize(1500, 800)
                        .setTimezoneId("Asia/Kolkata"));
        page = context.newPage();
    }

    @AfterEach
    void close() {
        context.close();
        console.close();
    }

    private void open(String path) {
        page.navigate(console.address() + path);
    }

    @Test
    void errorOfAllFailedJobs_isRetriedByEightKeys() {
        open("/");
        for (String key : new String[] {"g", "x"}) page.keyboard().press(key);
        assertThat(page.locator("h1")).hasText("Errors");
        page.keyboard().press("j");
        assertThat(page.locator("[data-told]")).containsText("Row 1 of 1: 3 boom");
        page.keyboard().press("r");
        assertThat(page.locator("#question-text")).containsText("3 of them");
        page.keyboard().press("Tab");
        page.keyboard().press("Enter");
        assertThat(page.locator("[data-said]")).isVisible();
    }

    private void press(String... keys) {
        for (String key : keys) page.keyboard().press(key);
    }

    @Test
    void schedule_isChangedByKeysAlone() {
        database.execute("SELECT howdah.schedule('nightly', 'mail', 'charge', '1', cron => '30 3 * * *')");
        open("/");
        press("g", "c");
        assertThat(page.locator("h1")).hasText("Schedules");
        press("j", "i");
        assertThat(page.locator("input[name=cron]")).isFocused();
        page.keyboard().type("15 4 * * *");
        press("Enter");
        assertThat(page.locator("#checked button.strong")).isFocused();
        assertThat(page.locator("#checked ins").first()).hasText("15 4 * * *");
        press("Enter");
        assertThat(page.locator("[data-said]")).isVisible();
        assertThat(database.value("SELECT cron FROM howdah.schedule WHERE name = 'nightly'"))
                .isEqualTo("15 4 * * *");
    }

    @Test
    void task_isAddedByKeysAlone_andAFieldThatIsRefusedIsNext() {
        open("/");
        press("g", "t");
        assertThat(page.locator("h1")).hasText("Tasks");
        press("n");
        assertThat(page.locator("textarea[name=input]")).isFocused();
        page.keyboard().type("SELECT 1");
        press("Tab", "Tab");
        page.keyboard().type("many");
        press("Control+Enter");
        assertThat(page.locator("input[name=max][aria-invalid=true]")).isFocused();
        page.keyboard().type("2");
        press("Control+Enter");
        assertThat(page.locator("#checked button.strong")).isFocused();
        press("Enter");
        assertThat(page.locator("h1")).containsText("Task ");
        assertThat(database.value("SELECT input FROM task")).isEqualTo("SELECT 1");
    }

    @Test
    void digits_openTabs_andTheErrorOfARowIsOpenedByAKey() {
        open("/jobs?state=waiting");
        int failed = (int) page.evaluate(
                "1 + [...document.querySelectorAll('.tabs a')].findIndex(e => e.textContent.includes('failed'))");
        page.keyboard().press(String.valueOf(failed));
        page.waitForURL("**state=failed**");
        page.keyboard().press("j");
        page.keyboard().press("o");
        assertThat(page.getByText("com.example.Billing.charge").first()).isVisible();
    }

    @Test
    void palette_leadsToPlaces_andToWhatThePageCanDo() {
        open("/jobs/queues/mail");
        page.keyboard().press("Control+k");
        assertThat(Axe.violations(page)).as("palette").isEmpty();
        page.keyboard().type("sched");
        page.keyboard().press("Enter");
        assertThat(page.locator("h1")).hasText("Schedules");
        open("/jobs/queues/mail");
        page.keyboard().press(":");
        page.keyboard().type("paus");
        page.keyboard().press("Enter");
        assertThat(page.locator("#question-text")).containsText("Pause queue mail");
    }

    @Test
    void columns_thatAreLeftOut_stayLeftOut() {
        open("/jobs?state=failed");
        page.locator(".columns summary").click();
        page.locator(".columns label:has-text('Payload') input").uncheck();
        assertThat(page.locator("th:has-text('Payload')")).isHidden();
        assertThat(page.locator("td[data-label=Payload]").first()).isHidden();
        page.reload();
        assertThat(page.locator("td[data-label=Payload]").first()).isHidden();
        assertThat(page.locator("td.error").first()).isVisible();
        open("/jobs?state=failed&hide=");
        assertThat(page.locator("td[data-label=Payload]").first()).isVisible();
    }

    @Test
    void columnOfTheUsersOwn_isShownWhenItIsChosen() {
        database.execute("ALTER TABLE task ADD COLUMN ticket text;"
                + " INSERT INTO task (input, plan, ticket) VALUES ('SELECT 1', now() + interval '1 day', 'OPS-7')");
        open("/tasks");
        page.locator(".columns summary").click();
        page.locator(".columns label:has-text('ticket') input").check();
        page.waitForURL("**show=ticket**");
        assertThat(page.locator("td[data-label=ticket]").first()).hasText("OPS-7");
    }

    @Test
    void moments_areTypedInTheZoneOfThePage_andSentInUtc() {
        open("/jobs?state=waiting");
        page.locator("input[name=from]").fill("2030-05-01T10:30");
        page.locator(".filters button:has-text('Filter')").last().click();
        page.waitForURL("**from=2030-05-01T05%3A00Z**");
        assertThat(page.locator("input[name=from]")).hasValue("2030-05-01T10:30");
        assertThat(page.locator("label:has(input[name=from])")).containsText("From");
    }

    @Test
    void code_isCopiedByAButton() {
        open("/jobs/1001");
        page.context().grantPermissions(java.util.List.of("clipboard-read", "clipboard-write"));
        page.locator("pre.code button").first().click();
        assertThat((String) page.evaluate("navigator.clipboard.readText()")).startsWith("boom\n\tat com.example");
    }
}
