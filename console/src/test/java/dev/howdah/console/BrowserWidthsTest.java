package dev.howdah.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lists in windows from a phone's to 2,560 pixels: what is wrong is read, and what can be done is in reach. */
@Tag("long")
@PostgresTest
class BrowserWidthsTest {
    private static final String LONG = "tenant-provisioning-and-deprovisioning-eu-central-1";
    private static final String TRACE =
            "java.lang.IllegalStateException: the card of customer 7 was refused by the bank after"
                    + " three attempts since the amount is above the limit\n\tat com.example.Billing.charge(Billing.java:42)";

    private static Chromium chromium;

    private final TestDatabase database;
    private Console console;
    private BrowserContext context;

    BrowserWidthsTest(TestDatabase database) {
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
        database.execute("SELECT howdah.add('" + LONG + "', 'welcome', '1'), howdah.add('mail', 'welcome', '1');"
                + " INSERT INTO howdah_internal.failed (id, lane, state, kind, priority, attempt, deaths, run_at, error, payload)"
                + " SELECT 1000 + n, l.id, 'failed', 'charge', 0, 3, 0, now(), '" + TRACE + "', to_json(n)"
                + " FROM generate_series(1, 20) n, howdah_internal.lane l WHERE l.queue = '" + LONG + "'");
        console = ConsoleFixtures.console(database).start();
        context = chromium.browser().newContext(new Browser.NewContextOptions().setViewportSize(1280, 800));
    }

    @AfterEach
    void close() {
        context.close();
        console.close();
    }

    private Page open(String path, int width) {
        Page page = context.newPage();
        page.setViewportSize(width, 800);
        page.navigate(console.address() + path);
        return page;
    }

    private static String outside(Page page) {
        return (String) page.evaluate("[...document.querySelectorAll('main *')].filter(e => e.offsetParent"
                + " && getComputedStyle(e).position !== 'absolute' && !e.closest('.tabs')"
                + " && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 90)).join()");
    }

    @Test
    void lists_ofAPhone_areCards_withTheirHeadingsAndActions() {
        for (String path : List.of("/jobs?state=failed", "/jobs/queues", "/jobs/errors", "/tasks", "/settings")) {
            Page page = open(path, 390);
            assertThat(outside(page))
                    .as("what is wider than the window at %s", path)
                    .isEmpty();
            assertThat(Axe.violations(page)).as(path).isEmpty();
            page.close();
        }
        Page page = open("/jobs/queues", 390);
        assertThat(page.evaluate("getComputedStyle(document.querySelector('td[data-label=Due]'), '::before').content"))
                .asString()
                .contains("Due");
        assertThat(page.locator("td.last button").first()).isInViewport();
        // Beside the name, and above the numbers.
        assertThat(page.evaluate("(() => { const y = s => document.querySelector('tbody tr:nth-child(2) ' + s)"
                        + ".getBoundingClientRect().top; return y('button') < y('td[data-label=Due]'); })()"))
                .isEqualTo(true);
    }

    @Test
    void rows_areTwoLinesHigh_andTheErrorIsWholeOnDemand() {
        Page page = open("/jobs?state=failed", 1280);
        assertThat((double) page.evaluate("Math.max(...[...document.querySelectorAll('.rows tbody tr')]"
                        + ".map(e => e.getBoundingClientRect().height + 0.0001))"))
                .isLessThan(56);
        assertThat((double) page.evaluate("document.querySelector('td.error').getBoundingClientRect().width"
                        + " / document.querySelector('.scroll').getBoundingClientRect().width"))
                .isGreaterThan(0.35);
        assertThat(page.getByText("com.example.Billing.charge").first()).isHidden();
        page.locator("td.error summary").first().click();
        assertThat(page.getByText("com.example.Billing.charge").first()).isVisible();
    }

    @Test
    void lists_of1280Pixels_hideNoColumnBehindTheirActions() {
        for (String path :
                List.of("/jobs?state=failed", "/jobs?state=waiting", "/jobs/queues", "/jobs/errors", "/tasks")) {
            Page page = open(path, 1280);
            assertThat(page.evaluate("[...document.querySelectorAll('.scroll')]"
                            + ".filter(e => e.scrollWidth > e.clientWidth).map(e => e.scrollWidth).join()"))
                    .as(path)
                    .isEqualTo("");
            page.close();
        }
    }

    @Test
    void longName_isCutInTheMiddle_andWholeInItsTitleAndItsCopy() {
        Page page = open("/jobs/queues", 1280);
        assertThat(page.locator(".cut").first()).hasAttribute("title", LONG);
        assertThat(page.evaluate("(() => { const range = document.createRange();"
                        + " range.selectNodeContents(document.querySelector('.cut')); getSelection().removeAllRanges();"
                        + " getSelection().addRange(range); return String(getSelection()); })()"))
                .isEqualTo(LONG);
        assertThat(page.evaluate("document.querySelector('.cut').getBoundingClientRect().width"
                        + " < 0.85 * document.querySelector('.cut').textContent.length * 7"))
                .isEqualTo(true);
    }

    @Test
    void longWordOfAnError_widensNoPage() {
        database.execute("UPDATE howdah_internal.failed SET error = repeat('x', 900)");
        String job = String.valueOf(database.value("SELECT min(id) FROM howdah_internal.failed"));
        for (String path : List.of("/jobs/" + job, "/jobs/errors", "/jobs/queues/" + LONG))
            for (int width : new int[] {390, 1280}) {
                Page page = open(path, width);
                assertThat(page.evaluate("document.documentElement.scrollWidth - innerWidth"))
                        .as("%s at %d pixels", path, width)
                        .isEqualTo(0);
                page.close();
            }
    }

    @Test
    void whatAFormsCheckFound_isBesideIt_andAWideFormHasTwoColumns() {
        Page page = open("/tasks/new", 1400);
        page.locator("textarea[name=input]").fill("SELECT 1");
        page.locator("form.editor button").click();
        assertThat(page.locator("#checked button.strong")).isInViewport();
        assertThat(page.evaluate("document.querySelector('#checked').getBoundingClientRect().left"
                        + " > document.querySelector('.editor').getBoundingClientRect().right"))
                .isEqualTo(true);
        page = open("/tasks/new", 1920);
        assertThat(page.evaluate("new Set([...document.querySelectorAll('.editor fieldset')]"
                        + ".map(e => e.getBoundingClientRect().left)).size"))
                .isEqualTo(2);
        assertThat(Axe.violations(page)).isEmpty();
    }

    @Test
    void wideWindow_isUsed() {
        Page page = open("/jobs?state=failed", 2560);
        assertThat((double) page.evaluate("document.querySelector('.scroll').getBoundingClientRect().width + 0.0001"))
                .isGreaterThan(2_200);
        assertThat(page.evaluate("getComputedStyle(document.querySelector('td .middle'), '::before').content"))
                .isEqualTo("none");
    }

    @Test
    void changesOfTheSelected_areAtTheBottomOfAPhone() {
        Page page = open("/jobs?state=failed", 390);
        page.locator("td.select input").nth(4).check();
        page.evaluate("scrollTo(0, document.body.scrollHeight)");
        assertThat(page.locator(".bulk button").first()).isInViewport();
    }

    @Test
    void queues_areSortedByAClickOnTheHeading_andTheWorstIsFirstOtherwise() {
        Page page = open("/jobs/queues", 1280);
        database.execute("SELECT howdah.add('aaa', 'k', '1')");
        page.navigate(console.address() + "/jobs/queues");
        assertThat(page.locator("tbody tr").first()).hasAttribute("data-row", LONG);
        page.locator("th a:has-text('Queue')").click();
        assertThat(page.locator("tbody tr").first()).hasAttribute("data-row", "aaa");
        assertThat(page.locator("th[aria-sort=ascending]")).hasText("Queue ↑");
    }
}
