package dev.howdah.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.Media;
import com.microsoft.playwright.options.ReducedMotion;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.store.TokenStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The console in Chromium, which has to be there: Debian's package chromium has it. With {@code -Dhowdah.test.screenshots=true} it keeps what it sees in target/screenshots. */
@Tag("long")
@PostgresTest
class ConsoleBrowserTest {
    private static final Path SHOTS = Path.of("target/screenshots");

    /** Finds what axe does not call serious: controls that are too small, headings and ids out of order. */
    private static final String ACCESSIBLE = script("accessible.js");

    private static final String WIDER =
            "[...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll, .tabs')"
                    + " && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 80)).join()";

    private static Chromium chromium;
    private static Browser browser;
    private static DemoData data;
    private static Console console;
    private static TestDatabase database;

    private final List<String> complaints = new ArrayList<>();
    private @Nullable BrowserContext context;

    private static String script(String name) {
        try (InputStream in = ConsoleBrowserTest.class.getResourceAsStream("/" + name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @BeforeAll
    static void start(TestDatabase shared) throws Exception {
        chromium = new Chromium();
        browser = chromium.browser();
        Files.createDirectories(SHOTS);
        database = shared;
        data = new DemoData(shared);
        console = ConsoleFixtures.console(shared)
                .label("test")
                .startSweeps(ConsoleFixtures.source(shared))
                .start();
    }

    @AfterAll
    static void stop() {
        if (chromium != null) chromium.close();
        if (console != null) console.close();
        if (data != null) data.close();
    }

    @AfterEach
    void closeContext() {
        closeContextOnly();
        assertThat(complaints).as("errors and requests to elsewhere").isEmpty();
    }

    private void closeContextOnly() {
        if (context != null) context.close();
        context = null;
    }

    private Page open(String path, int width, ColorScheme scheme) {
        closeContextOnly();
        BrowserContext fresh = browser.newContext(new Browser.NewContextOptions()
                .setViewportSize(width, 800)
                .setColorScheme(scheme)
                .setTimezoneId("Europe/Berlin"));
        context = fresh;
        Page page = fresh.newPage();
        page.onConsoleMessage(message -> {
            if (message.type().equals("error")) complaints.add(message.text());
        });
        page.onPageError(complaints::add);
        page.onRequest(request -> {
            if (!request.url().startsWith(console.address().toString())
                    && !request.url().startsWith("data:")) complaints.add("request to " + request.url());
        });
        page.navigate(console.address() + path);
        return page;
    }

    private Page open(String path) {
        return open(path, 1280, ColorScheme.LIGHT);
    }

    private static String value(String sql) {
        return String.valueOf(database.value(sql));
    }

    @Test
    void pages_lightDarkAndNarrow_areWhole() throws SQLException {
        database.execute("INSERT INTO task (input, \"group\", max) SELECT 'SELECT pg_sleep(600)', 'imports', 0"
                + " FROM generate_series(1, 3); SELECT howdah.add_holidays('closed', ARRAY['2030-12-25']::date[])");
        try (Connection holder = database.connect();
                Statement statement = holder.createStatement()) {
            // For the list of sessions.
            statement.execute("SET application_name = 'nightly report'; BEGIN ISOLATION LEVEL REPEATABLE READ;"
                    + " SELECT count(*), sum(balance) FROM customer");
            lookAtAllPages();
        } finally {
            database.execute("DELETE FROM task WHERE \"group\" = 'imports' AND state = 'PLAN';"
                    + " SELECT pg_cancel_backend(pid) FROM task WHERE \"group\" = 'imports' AND state = 'WORK'");
        }
    }

    private void lookAtAllPages() {
        String failed = value("SELECT id FROM task WHERE state = 'FAIL'");
        String done = value("SELECT id FROM task WHERE state = 'DONE' ORDER BY id LIMIT 1");
        String job = value("SELECT id FROM howdah_internal.failed LIMIT 1");
        String running = value("SELECT first_id FROM howdah_internal.batch WHERE ended IS NULL LIMIT 1");
        Map<String, String> pages = new java.util.LinkedHashMap<>();
        pages.put("overview", "/");
        pages.put("tasks", "/tasks");
        pages.put("tasks-planned", "/tasks?state=PLAN");
        pages.put("task-groups", "/tasks/groups");
        pages.put("task-failed", "/tasks/" + failed);
        pages.put("task-done", "/tasks/" + done);
        pages.put("task-form", "/tasks/new?from=" + done);
        pages.put("task-edit", "/tasks/" + value("SELECT id FROM task WHERE state = 'PLAN' LIMIT 1") + "/edit");
        pages.put("job-form", "/jobs/new?from=" + job);
        pages.put("jobs-failed", "/jobs?state=failed");
        pages.put("jobs-running", "/jobs");
        pages.put("jobs-done", "/jobs?state=done");
        pages.put("job-failed", "/jobs/" + job);
        pages.put("job-running", "/jobs/" + running);
        pages.put("queues", "/jobs/queues");
        pages.put("queue", "/jobs/queues/payments");
        pages.put("tokens", "/tokens");
        pages.put("workflows", "/workflows");
        pages.put("workflow", "/workflows/1");
        pages.put("errors", "/jobs/errors");
        pages.put("schedules", "/schedules");
        pages.put("schedule", "/schedules/daily-report");
        pages.put("schedule-edit", "/schedules/daily-report/edit");
        pages.put("calendars", "/calendars");
        pages.put("calendar-form", "/calendars/new");
        pages.put("calendar", "/calendars/closed");
        pages.put(
                "schedule-form",
                "/schedules/new?check=yes&name=weekdays&kind=report&queue=mail&payload=%7B%22day%22:%22all%22%7D&zone=Europe/Berlin"
                        + "&cron=30%203%20*%20*%20MON-FRI");
        pages.put(
                "schedule-form-wrong", "/schedules/new?check=yes&kind=report&payload=%7Boops&cron=99%20*%20*%20*%20*");
        pages.put("processes", "/processes");
        pages.put("process-list", "/processes/order");
        pages.put("process-timers", "/processes/order?view=timers");
        pages.put("process-notices", "/processes/order?view=notices");
        pages.put("process-new", "/processes/order?view=new");
        pages.put("process", "/processes/order/order-42");
        pages.put("sweeps", "/sweeps");
        pages.put("sweep", "/sweeps/mailing");
        pages.put("sweep-form", "/sweeps/new");
        pages.put("bulk-empty", "/bulk");
        pages.put("nodes", "/nodes");
        pages.put("node", "/nodes/" + value("SELECT min(node) FROM howdah_internal.batch WHERE ended IS NULL"));
        pages.put("jobs-of-node", "/jobs?state=done&node=" + value("SELECT min(node) FROM howdah_internal.batch"));
        pages.put("settings", "/settings");
        pages.put("database", "/database");
        pages.put("audit", "/audit");
        pages.put("search", "/search?q=1");
        // One window goes from page to page: a new one for each, with what axe has to read first, costs more than its
        // checks.
        Page page = open("/");
        pages.forEach((name, path) -> {
            int form = path.indexOf("?check=yes");
            see(page, 1280, ColorScheme.LIGHT);
            page.navigate(console.address() + (form < 0 ? path : path.substring(0, form)));
            if (form >= 0) check(page, path.substring(form + 1), "form.editor");
            shot(page, name);
            check(page, path);
            assertThat(Axe.violations(page)).as("accessibility of %s", path).isEmpty();
            page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
            shot(page, name + "-dark");
            see(page, 390, ColorScheme.DARK);
            shot(page, name + "-narrow");
            check(page, path);
            assertThat(page.evaluate(WIDER))
                    .as("what is wider than 390 pixels at %s", path)
                    .isEqualTo("");
            // Colours of the dark scheme and what narrow windows change are no two questions: both are answered here.
            assertThat(Axe.violations(page))
                    .as("accessibility of %s, dark, at 390 pixels", path)
                    .isEmpty();
        });
    }

    private static void see(Page page, int width, ColorScheme scheme) {
        page.setViewportSize(width, 800);
        page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
    }

    @Test
    void narrowPage_withItsMenuOpenAndRowsSelected_isAccessible() {
        Page page = open("/jobs?state=failed", 390, ColorScheme.LIGHT);
        page.locator("td.select input").first().check();
        shot(page, "jobs-selected-narrow");
        assertThat(Axe.violations(page)).as("with a selected row").isEmpty();
        page.locator(".menu").click();
        assertThat(page.locator(".side")).isVisible();
        shot(page, "menu-narrow");
        assertThat(Axe.violations(page)).as("with the menu open").isEmpty();
    }

    /** Fills that form and sends it, to be checked. */
    private static void check(Page page, String fields, String form) {
        page.waitForNavigation(() -> page.evaluate(
                "([fields, where]) => { const form = document.querySelector(where);"
                        + " for (const [name, value] of new URLSearchParams(fields))"
                        + " if (form.elements[name]) form.elements[name].value = value; form.requestSubmit(); }",
                List.of(fields, form)));
    }

    @Test
    void pause_isUndoneByMouse() {
        database.execute("SELECT howdah.add('undone', 'welcome', '1')");
        Page page = open("/jobs/queues/undone");
        page.locator("main button:has-text('Pause')").first().click();
        page.locator("#question button.strong").click();
        assertThat(page.locator("[data-said]")).hasText("Queue undone is paused.");
        shot(page, "undo");
        assertThat(Axe.violations(page)).as("with a button to undo").isEmpty();
        check(page, "/jobs/queues/undone");
        page.locator("[data-undo]").click();
        assertThat(page.locator("[data-said]")).hasText("Queue undone goes on.");
        assertThat(value("SELECT count(*) FROM howdah_internal.lane WHERE queue = 'undone' AND paused IS NOT NULL"))
                .isEqualTo("0");
    }

    @Test
    void session_withAnOldSnapshot_isEndedByMouse() throws SQLException {
        try (Connection holder = database.connect();
                Statement statement = holder.createStatement()) {
            statement.execute("SET application_name = 'forgotten'; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
            Page page = open("/database");
            Locator row = page.locator("tr:has-text('forgotten')");
            row.locator("button:has-text('End')").click();
            assertThat(page.locator("#question-text")).containsText("Its transaction is rolled back");
            page.screenshot(new Page.ScreenshotOptions().setPath(SHOTS.resolve("session-question.png")));
            page.locator("#question button.strong").click();
            assertThat(page.locator("[data-said]")).containsText("has ended.");
            assertThat(row).hasCount(0);
            assertThatThrownBy(() -> statement.execute("SELECT 1")).isInstanceOf(SQLException.class);
        }
    }

    @Test
    void windows_moreThanABrowserHasConnections_hangNone() {
        Page first = open("/tasks");
        BrowserContext windows = first.context();
        List<Page> pages = new ArrayList<>(List.of(first));
        // Those that come first are live, and none of the later ones gets ahead of them.
        assertThat(first.locator("[data-live-text]")).hasText("live");
        for (int i = 1; i < 8; i++) {
            Page page = windows.newPage();
            page.navigate(console.address() + "/jobs?state=failed");
            assertThat(page.locator("h1")).hasText("Jobs");
            if (i < 4) assertThat(page.locator("[data-live-text]")).hasText("live");
            pages.add(page);
        }
        for (Page page : pages.subList(0, 4))
            assertThat(page.locator("[data-live-text]")).hasText("live");
        Page last = pages.get(7);
        assertThat(last.locator("[data-live-text]")).hasText("off here: four other windows are live");
        shot(last, "live-elsewhere");
        last.locator("[data-live-here]").click();
        assertThat(last.locator("[data-live-text]")).hasText("live");
        assertThat(last.locator("[data-live-here]")).isHidden();
        // The window whose place was taken hears of it a moment later.
        await().pollInSameThread().atMost(Patience.LIMIT).until(() -> live(pages) == 4);
    }

    private static long live(List<Page> pages) {
        return pages.stream()
                .filter(each -> each.locator("[data-live-text]").textContent().equals("live"))
                .count();
    }

    @Test
    void keys_pressTheButtonsOfAPage_unlessTheyAreOff() {
        database.execute("SELECT howdah.add('keys', 'welcome', '1')");
        Page page = open("/jobs/queues/keys");
        page.keyboard().press("p");
        assertThat(page.locator("#question-text")).containsText("Pause queue keys?");
        page.keyboard().press("Escape");
        page.keyboard().press("?");
        page.locator("[data-keys-on]").uncheck();
        shot(page, "keys");
        page.locator("#help button").click();
        page.keyboard().press("p");
        assertThat(page.locator("#question")).isHidden();
        page.reload();
        page.keyboard().press("?");
        assertThat(page.locator("#help")).isHidden();
        page.locator("[data-help-switch]").click();
        page.locator("[data-keys-on]").check();
        page.locator("#help button").click();
        page.keyboard().press("g");
        page.keyboard().press("t");
        assertThat(page.locator("h1")).hasText("Tasks");
    }

    // by a token
    @Test
    void viewer_logsInByAToken_andSeesNoButtons() {
        String token = new TokenStore(ConsoleFixtures.source(database), "howdah").add("vera", "viewer", null, null);
        try (Console closed =
                ConsoleFixtures.console(database).login(true).label("test").start()) {
            for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
                context = browser.newContext(new Browser.NewContextOptions()
                        .setViewportSize(scheme == ColorScheme.DARK ? 390 : 1280, 800)
                        .setColorScheme(scheme));
                Page page = context.newPage();
                page.navigate(closed.address() + "/jobs?state=failed");
                shot(page, "login-" + scheme.name().toLowerCase(Locale.ROOT));
                check(page, "/login");
                assertThat(Axe.violations(page)).as("login page").isEmpty();
                page.locator("#f-token").fill("hd_wrong");
                page.locator("button.strong").click();
                assertThat(page.locator("[role=status]")).containsText("not accepted");
                page.locator("#f-token").fill(token);
                page.locator("button.strong").click();
                assertThat(page.locator("h1")).hasText("Jobs");
                assertThat(page.locator("form.bulk")).hasCount(0);
                assertThat(page.locator("a:has-text('Audit')")).hasCount(0);
                assertThat(page.url() + page.content() + page.evaluate("JSON.stringify(localStorage)"))
                        .doesNotContain(token);
                shot(page, "viewer-" + scheme.name().toLowerCase(Locale.ROOT));
                closeContextOnly();
            }
        }
    }

    @Test
    void pageWhoseSessionHasEnded_orOfAnEarlierRun_saysSo_withALink() {
        String token = new TokenStore(ConsoleFixtures.source(database), "howdah").add("vic", "viewer", null, null);
        int port;
        Page page;
        try (Console closed = ConsoleFixtures.console(database).login(true).start()) {
            port = closed.address().getPort();
            context = browser.newContext();
            page = context.newPage();
            page.navigate(closed.address() + "/jobs?state=failed");
            page.locator("#f-token").fill(token);
            page.locator("button.strong").click();
            assertThat(page.locator("[data-live-text]")).hasText("live");
            Page other = context.newPage();
            other.navigate(closed.address() + "/");
            other.locator("button:has-text('Log out')").click();
            assertThat(page.locator("[data-banner]")).hasText("This session has ended. Log in");
            assertThat(page.locator("[data-live-text]")).containsText("as of ");
            page.locator("[data-banner] a").click();
            assertThat(page.locator("#f-token")).hasCount(1);
        }
        try (Console open = ConsoleFixtures.console(database).port(port).start()) {
            page.navigate(open.address() + "/jobs/queues");
            assertThat(page.locator("[data-live-text]")).hasText("live");
        }
        try (Console again = ConsoleFixtures.console(database).port(port).start()) {
            assertThat(page.locator("[data-banner]"))
                    .hasText("The console was started again after this page was loaded. Load again");
            page.locator("[data-banner] a").click();
            assertThat(page.locator("[data-live-text]")).hasText("live");
            assertThat(page.locator("[data-banner]")).isHidden();
        }
    }

    private static void check(Page page, String path) {
        assertThat(page.locator("h1").count()).as(path).isEqualTo(1);
        assertThat(page.locator(".problem").allTextContents()).as(path).isEmpty();
        assertThat(page.evaluate(ACCESSIBLE))
                .as("sizes, headings and ids at %s", path)
                .isEqualTo("");
    }

    private static void shot(Page page, String name) {
        if (!Boolean.getBoolean("howdah.test.screenshots")) return;
        page.evaluate("scrollTo(0, 0)");
        page.screenshot(new Page.ScreenshotOptions()
                .setPath(SHOTS.resolve(name + ".png"))
                .setFullPage(true));
    }

    // seen live
    @Test
    void task_insertedWhileTheListIsOpen_appearsAndEnds() {
        Page page = open("/tasks");
        assertThat(page.locator("[data-live-text]")).hasText("live");
        String id = value("INSERT INTO task (input) VALUES ('SELECT ''seen live''') RETURNING id");
        assertThat(page.locator("tr[data-row='" + id + "']")).containsText("done");
    }

    @Test
    void task_plannedIsCancelledWithAQuestion_andRunsAgain() {
        String id =
                value("INSERT INTO task (input, plan) VALUES ('SELECT 7 * 6', now() + interval '1 day') RETURNING id");
        Page page = open("/tasks/" + id);
        assertThat(page.locator(".cause").first()).containsText("due in");
        page.locator("button:has-text('Cancel')").click();
        assertThat(page.locator("#question-text")).containsText("Cancel task " + id);
        shot(page, "question");
        page.locator("#question button.strong").click();
        assertThat(page.locator("[data-said]")).hasText("Task " + id + " will not run.");
        // The question is asked by the script of the page.
        page.waitForLoadState();
        page.locator("button:has-text('Run again')").click();
        page.locator("#question button.strong").click();
        assertThat(page.locator("[data-part=task]")).containsText("42");
    }

    @Test
    void task_ofTheForm_isCheckedCorrectedAndAdded() {
        Page page = open("/tasks");
        page.locator("a:has-text('New task')").click();
        page.getByLabel("SQL").fill("SELECT nme FROM customer");
        page.getByLabel("Again after").fill("soon");
        page.keyboard().press("Enter");
        assertThat(page.locator(".wrong")).containsText("invalid input syntax for type interval");
        assertThat(page.getByLabel("Again after")).hasAttribute("aria-invalid", "true");
        shot(page, "task-form-wrong");
        page.getByLabel("Again after").fill("");
        page.keyboard().press("Enter");
        assertThat(page.locator(".checked")).containsText("column \"nme\" does not exist (line 1, column 8)");
        page.getByLabel("SQL").fill("SELECT name FROM customer ORDER BY id");
        page.getByLabel("Or a cron expression").fill("30 3 * * MON-FRI");
        page.getByLabel("Time zone").fill("Europe/Berlin");
        page.keyboard().press("Enter");
        assertThat(page.locator(".checked")).containsText("the SQL is in order");
        shot(page, "task-form-checked");
        page.getByLabel("SQL").fill("SELECT id FROM customer");
        assertThat(page.locator("button:has-text('Add the task')")).isHidden();
        assertThat(page.locator(".checked")).containsText("It was changed after that: check it again.");
        page.getByLabel("SQL").fill("SELECT name FROM customer ORDER BY id");
        assertThat(page.locator(".checked")).not().containsText("changed after that");
        page.locator("button:has-text('Add the task')").click();
        assertThat(page.locator("[data-said]")).containsText("is added");
        assertThat(page.locator(".facts")).containsText("planned");
        assertThat(page.locator("[data-part=task]")).containsText("30 3 * * MON-FRI");
    }

    @Test
    void job_ofTheForm_isCheckedAndAdded() {
        Page page = open("/jobs/new");
        page.locator("#f-kind").fill("unknown");
        page.locator("#f-queue").fill("mail");
        page.locator("#f-payload").fill("{\"user\": 42}");
        page.getByLabel("Or a delay").fill("2 d");
        page.keyboard().press("Enter");
        assertThat(page.locator(".checked")).containsText("would be added to queue mail");
        shot(page, "job-form-checked");
        page.locator("button:has-text('Add the job')").click();
        assertThat(page.locator("[data-said]")).containsText("is added");
        assertThat(page.locator(".facts")).containsText("planned");
    }

    // without kill and throttle
    @Test
    void sweep_ofTheForm_isCheckedAndRuns() {
        database.execute("CREATE TABLE bill (id bigint PRIMARY KEY, net int, gross int);"
                + " INSERT INTO bill (id, net) SELECT i, i FROM generate_series(1, 250) i");
        Page page = open("/sweeps");
        page.locator("a:has-text('New sweep')").first().click();
        page.locator("#f-name").fill("gross");
        page.locator("#f-table").fill("bill");
        page.locator("#f-key").fill("id");
        page.locator("#f-where").fill("gros IS NULL");
        page.locator("#f-mark").fill("gross = net * 119 / 100");
        page.locator("#f-work").selectOption("mark");
        page.locator("button:has-text('Check')").click();
        assertThat(page.locator("main")).containsText("column \"gros\" does not exist");
        shot(page, "sweep-form-wrong");
        page.locator("#f-where").fill("gross IS NULL");
        page.locator("button:has-text('Check')").click();
        assertThat(page.locator(".checked")).containsText("250");
        shot(page, "sweep-form-checked");
        assertThat(Axe.violations(page))
                .as("accessibility of a sweep that is checked")
                .isEmpty();
        page.locator("button:has-text('Start the sweep')").click();
        assertThat(page.locator(".facts")).containsText("250 rows done");
        assertThat(database.value("SELECT count(*) FROM bill WHERE gross IS NOT NULL"))
                .isEqualTo("250");
    }

    @Test
    void job_failed_isRetried() {
        String id = value("SELECT max(id) FROM howdah_internal.failed");
        Page page = open("/jobs/" + id);
        assertThat(page.locator(".attempts")).containsText("was refused");
        page.locator("button:has-text('Retry')").click();
        page.locator("#question button.strong").click();
        assertThat(page.locator("[data-said]")).hasText("Job " + id + " waits to run again.");
        assertThat(page.locator(".attempts li")).hasCount(2);
    }

    @Test
    void queue_paused_isNamedAsTheCause() {
        Page page = open("/jobs/queues");
        page.locator("tr[data-row=payments] button:has-text('Pause')").click();
        page.locator("#question button.strong").click();
        assertThat(page.locator("[data-said]")).hasText("Queue payments is paused.");
        long id = data.shop()
                .add(dev.howdah.job.NewJob.of(dev.howdah.job.Kind.of("charge", String.class), "1")
                        .queue("payments"))
                .id();
        page.navigate(console.address() + "/jobs/" + id);
        assertThat(page.locator(".cause").first()).containsText("paused");
        page.navigate(console.address() + "/jobs/queues");
        page.locator("tr[data-row=payments] button:has-text('Resume')").click();
        assertThat(page.locator("[data-said]")).hasText("Queue payments goes on.");
    }

    @Test
    void limitsAndTokens_areSetByMouse() {
        Page page = open("/jobs/queues");
        page.locator("tr[data-row=mail] a").first().click();
        page.getByText("Limit how many run at the same time").click();
        page.locator("#f-limit-jobs").fill("7");
        page.locator("#f-limit-kind").fill("welcome");
        page.locator("details[open] button.strong").click();
        assertThat(page.locator("[data-said]")).containsText("The limit of kind welcome of queue mail is set.");
        assertThat(page.locator("[data-part=limits] tr", new Page.LocatorOptions().setHasText("kind welcome")))
                .containsText("at most 7 at the same time");
        page.waitForLoadState();
        page.locator("[data-part=limits] button:has-text('Remove')").click();
        assertThat(page.locator("#question-text")).containsText("Remove the limit of kind welcome of queue mail?");
        page.locator("#question button.strong").click();
        assertThat(page.locator("[data-said]")).containsText("The limit of kind welcome of queue mail is removed.");
        assertThat(page.locator("[data-part=limits]")).containsText("None: each node takes");
        page.locator(".side a:has-text('Tokens')").click();
        page.locator("#f-name").fill("ann");
        page.locator("#f-role").selectOption("operator");
        page.locator("button:has-text('Add the token')").click();
        assertThat(page.locator("#f-token")).hasValue(java.util.regex.Pattern.compile("hd_[0-9a-f]{40}"));
        assertThat(Axe.violations(page)).as("the token").isEmpty();
        shot(page, "token-added");
        page.locator("a:has-text('All tokens')").click();
        page.waitForURL("**/tokens");
        shot(page, "tokens-some");
        page.locator("tr:has-text('ann') button:has-text('Revoke')").click();
        page.locator("#question button.strong").click();
        assertThat(page.locator("tr:has-text('ann')")).containsText("revoked");
    }

    @Test
    void keyboard_goesToPagesAndRows() {
        Page page = open("/");
        page.keyboard().press("g");
        page.keyboard().press("t");
        page.waitForURL("**/tasks");
        page.keyboard().press("j");
        assertThat(page.locator("tr[aria-selected]")).hasCount(1);
        page.keyboard().press("Enter");
        page.waitForURL("**/tasks/*");
        page.keyboard().press("/");
        assertThat(page.locator(".search input")).isFocused();
        page.keyboard().type("order");
        page.keyboard().press("Enter");
        page.waitForURL("**/search*");
    }

    @Test
    void checkOfSizesAndHeadings_findsWhatIsWrong() {
        Page page = open("/tasks");
        page.evaluate(
                "document.querySelector('.tabs').id = 'main'; document.querySelector('[name=owner]').style.minHeight = '0';"
                        + " document.querySelector('[name=owner]').style.height = '20px';"
                        + " document.querySelector('main').append(document.createElement('h3'))");
        assertThat(String.valueOf(page.evaluate(ACCESSIBLE)))
                .contains("the id main twice", "less than 24 pixels high", "a level of headings is left out");
    }

    @Test
    void keyboard_tabsFromTheSkipLinkThroughThePage() {
        Page page = open("/tasks");
        page.keyboard().press("Tab");
        assertThat(page.locator(".skip")).isFocused();
        page.keyboard().press("Enter");
        assertThat(page.locator("main")).isFocused();
        List<String> order = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            page.keyboard().press("Tab");
            Object at = page.evaluate("document.activeElement.name || document.activeElement.textContent.trim()"
                    + ".replace(/[^A-Za-z ].*/, '').trim()");
            order.add(String.valueOf(at));
        }
        assertThat(order)
                .containsSubsequence("all", "group", "owner", "text", "Filter", "New task", "all", "action", "id");
        String snapshot = page.locator("main").ariaSnapshot();
        assertThat(snapshot)
                .contains("heading \"Tasks\" [level=1]", "navigation \"States\"", "search \"Filters\"")
                .contains("form \"Change many\"", "table \"Tasks\"", "checkbox \"Select task ")
                .contains("checkbox \"Select all rows of this page\"");
    }

    /** Presses Tab until that is reached. */
    private static void tabTo(Page page, String selector) {
        for (int i = 0; i < 120; i++) {
            page.keyboard().press("Tab");
            if (Boolean.TRUE.equals(page.evaluate("s => document.activeElement.matches(s)", selector))) return;
        }
        throw new AssertionError("120 times Tab do not lead to " + selector + " of " + page.url());
    }

    @Test
    void keyboard_walksTheMainPagesByTabAndEnter() {
        Page page = open("/");
        for (String path : List.of(
                "/tasks",
                "/jobs?state=failed",
                "/jobs/queues",
                "/schedules",
                "/processes",
                "/sweeps",
                "/nodes",
                "/database",
                "/audit")) {
            tabTo(page, ".side a[href='" + path + "']");
            assertThat(page.evaluate("getComputedStyle(document.activeElement).outlineStyle"))
                    .as("what shows the focus at %s", path)
                    .isNotEqualTo("none");
            page.keyboard().press("Enter");
            page.waitForURL(address -> address.endsWith(path));
        }
        page.navigate(console.address() + "/jobs?state=failed");
        tabTo(page, ".rows td a");
        page.keyboard().press("Enter");
        page.waitForURL("**/jobs/*");
        tabTo(page, "main button");
        page.keyboard().press("Enter");
        assertThat(page.locator("#question")).isVisible();
        assertThat(page.locator("#question button").first()).isFocused();
        page.keyboard().press("Escape");
        assertThat(page.locator("main button").first()).isFocused();
    }

    @Test
    void motionAndPaper_areAsTheReaderHasThem() {
        Page page = open("/tasks");
        page.emulateMedia(new Page.EmulateMediaOptions().setReducedMotion(ReducedMotion.REDUCE));
        page.evaluate("document.querySelector('.rows tbody tr').classList.add('fresh')");
        assertThat(page.evaluate("getComputedStyle(document.querySelector('tr.fresh')).animationName"))
                .isEqualTo("none");
        page.emulateMedia(new Page.EmulateMediaOptions().setReducedMotion(ReducedMotion.NO_PREFERENCE));
        assertThat(page.evaluate("getComputedStyle(document.querySelector('tr.fresh')).animationName"))
                .isEqualTo("fresh");
        page.emulateMedia(new Page.EmulateMediaOptions().setMedia(Media.PRINT).setColorScheme(ColorScheme.DARK));
        shot(page, "tasks-printed");
        for (String hidden : List.of(".side", ".bulk", ".filters", ".search", "td.select"))
            assertThat(page.locator(hidden).first()).isHidden();
        assertThat(page.locator("table.rows")).isVisible();
        assertThat(page.evaluate("getComputedStyle(document.body).backgroundColor"))
                .isEqualTo("rgb(255, 255, 255)");
    }

    @Test
    void keyboard_selectsRowsAndChangesThem() {
        database.execute(
                "INSERT INTO task (input, \"group\", plan) SELECT 'SELECT ' || n, 'keyboard', now() + interval '1 day'"
                        + " FROM generate_series(1, 4) n");
        Page page = open("/tasks?state=PLAN&group=keyboard");
        page.keyboard().press("j");
        page.keyboard().press("x");
        page.keyboard().press("j");
        page.keyboard().press("x");
        assertThat(page.locator("[data-selected]")).hasText("2 rows selected");
        shot(page, "tasks-selected");
        page.locator("td.select input").nth(1).focus();
        page.keyboard().press(" ");
        assertThat(page.locator("[data-selected]")).hasText("1 row selected");
        page.keyboard().press("X");
        assertThat(page.locator("[data-selected]")).hasText("4 rows selected");
        page.locator(".bulk button:has-text('Cancel')").focus();
        page.keyboard().press("Enter");
        assertThat(page.locator("#question-text")).containsText("Cancel 4 tasks?");
        assertThat(Axe.violations(page)).as("question").isEmpty();
        page.keyboard().press("Escape");
        assertThat(page.locator(".bulk button:has-text('Cancel')")).isFocused();
        page.keyboard().press("Enter");
        assertThat(page.locator("#question-text")).isVisible();
        page.screenshot(new Page.ScreenshotOptions().setPath(SHOTS.resolve("bulk-question.png")));
        page.keyboard().press("Tab");
        page.keyboard().press("Enter");
        assertThat(page.locator("[data-said]")).hasText("4 tasks are cancelled.");
        assertThat(page.locator(".empty")).hasText("Nothing matches these filters.");
    }

    @Test
    void tasks_allThatMatch_areDeletedWithProgress() {
        database.execute("INSERT INTO task (input, \"group\", state) SELECT 'SELECT ' || n, 'many', 'STOP'"
                + " FROM generate_series(1, 3000) n");
        Page page = open("/tasks?state=STOP&group=many");
        page.locator(".bulk input[name=all]").check();
        assertThat(page.locator("[data-selected]")).hasText("All that match");
        page.locator(".bulk button:has-text('Delete')").click();
        Locator asked = page.locator("[data-part=question]");
        assertThat(asked).containsText("Delete all 3,000 cancelled tasks of group many");
        assertThat(asked).containsText("To confirm, type 3000");
        shot(page, "bulk-typed");
        page.locator("#f-typed").fill("3000");
        asked.locator("button.strong").click();
        assertThat(page.locator("[data-part=run] .badge")).containsText("done");
        assertThat(page.locator("[data-part=run] strong")).hasText("3,000");
        shot(page, "bulk-done");
        page.locator("a:has-text('All changes of many')").click();
        assertThat(page.locator("tr[data-row]")).hasCount(1);
        shot(page, "bulk-list");
    }

    @Test
    void live_switchedOff_sendsNothing() {
        Page page = open("/tasks");
        assertThat(page.locator("[data-live-text]")).hasText("live");
        page.locator("[data-live-switch]").click();
        assertThat(page.locator("[data-live-text]")).containsText("as of");
        String id = value("INSERT INTO task (input) VALUES ('SELECT 1') RETURNING id");
        Page other = page.context().newPage();
        other.navigate(console.address() + "/tasks");
        assertThat(other.locator("tr[data-row='" + id + "']")).hasCount(1);
        assertThat(page.locator("tr[data-row='" + id + "']").count()).isZero();
    }

    @Test
    void withoutAScript_pagesAreReadAndFormsAskFirst() {
        BrowserContext plain = browser.newContext(new Browser.NewContextOptions().setJavaScriptEnabled(false));
        context = plain;
        Page page = plain.newPage();
        String id = value("INSERT INTO task (input, plan) VALUES ('SELECT 1', now() + interval '1 day') RETURNING id");
        page.navigate(console.address() + "/tasks/" + id);
        page.locator("button:has-text('Cancel')").click();
        assertThat(page.locator("h1")).hasText("Are you sure?");
        page.locator("button.strong:has-text('Yes')").first().click();
        assertThat(page.locator("[data-said]")).hasText("Task " + id + " will not run.");
    }

    @Test
    void rowsThatComeAndGo_moveNoOthers_whileSomeAreSelected() {
        database.execute(
                "INSERT INTO task (input, \"group\", plan) SELECT 'SELECT ' || n, 'bar', now() + interval '1 day'"
                        + " FROM generate_series(1, 2) n");
        Page page = open("/tasks?group=bar");
        assertThat(page.locator("[data-live-text]")).hasText("live");
        page.locator("td.select input").first().check();
        String gone =
                value("DELETE FROM task WHERE id = (SELECT min(id) FROM task WHERE \"group\" = 'bar') RETURNING id");
        String id =
                value("INSERT INTO task (input, \"group\", plan) VALUES ('SELECT 3', 'bar', now() + interval '1 day')"
                        + " RETURNING id");
        assertThat(page.locator(".news button")).hasText("1 new");
        assertThat(page.locator("tr.left")).hasAttribute("data-row", gone);
        assertThat(page.locator("tr[data-row='" + id + "']")).hasCount(0);
        page.keyboard().press(".");
        assertThat(page.locator("tr[data-row='" + id + "']")).hasCount(1);
        assertThat(page.locator("tr[data-row='" + gone + "']")).hasCount(0);
    }

    @Test
    void pageThatIsHidden_endsItsStream_andIsRightWhenItIsSeenAgain() {
        Page page = open("/tasks");
        assertThat(page.locator("[data-live-text]")).hasText("live");
        page.evaluate("Object.defineProperty(document, 'hidden', { get: () => window.away }); window.away = true;"
                + " document.dispatchEvent(new Event('visibilitychange'))");
        page.waitForFunction("() => navigator.locks.query().then(all => all.held.length === 0)");
        String id = value("INSERT INTO task (input) VALUES ('SELECT 1') RETURNING id");
        page.evaluate("window.away = false; document.dispatchEvent(new Event('visibilitychange'))");
        assertThat(page.locator("tr[data-row='" + id + "']")).hasCount(1);
    }

    @Test
    void streamThatBringsNothing_isSaidToBeHeldBack() {
        Page page = open("/tasks");
        // Not even the headers come.
        page.addInitScript("window.EventSource = class { addEventListener() {} close() {} }");
        page.clock().install();
        page.reload();
        assertThat(page.locator("[data-live-text]")).hasText("");
        page.clock().runFor(21_000);
        assertThat(page.locator("[data-live-text]")).containsText(": nothing comes, a proxy may hold the updates back");
        assertThat(page.locator("[data-live-age]")).containsText(" ago");
    }

    @Test
    void question_takesAReason_forTheAuditLog() {
        database.execute("SELECT howdah.add('reasoned', 'welcome', '1')");
        Page page = open("/jobs/queues/reasoned");
        page.locator("main button:has-text('Pause')").first().click();
        page.locator("#question-reason").fill("end of the month");
        shot(page, "question-reason");
        page.locator("#question button.strong").click();
        assertThat(page.locator("[data-said]")).hasText("Queue reasoned is paused.");
        assertThat(value("SELECT after ->> 'reason' FROM howdah.audit WHERE object = 'queues/reasoned'"
                        + " AND outcome = 'begun'"))
                .isEqualTo("end of the month");
    }
}
