package dev.howdah.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ForcedColors;
import dev.howdah.Database;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TcpProxy;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.task.TaskScheduler;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What people do with the console, from beginning to end, in Chromium; more of it is in ConsoleBrowserTest. */
@Tag("long")
@PostgresTest
class BrowserScenariosTest {
    private static final Kind<Integer> SEND = Kind.of("send", Integer.class);

    private static Chromium chromium;
    private static Browser browser;

    private final TestDatabase database;
    private final CountDownLatch go = new CountDownLatch(1);
    private final List<AutoCloseable> opened = new ArrayList<>();
    private Console console;
    private BrowserContext context;

    BrowserScenariosTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    static void launch() {
        chromium = new Chromium();
        browser = chromium.browser();
    }

    @AfterAll
    static void quit() {
        if (chromium != null) chromium.close();
    }

    @BeforeEach
    void start() {
        ConsoleFixtures.tasksAndJobs(database);
        console = ConsoleFixtures.console(database).start();
        opened.add(console);
        context = browser.newContext(new Browser.NewContextOptions().setViewportSize(1280, 800));
        opened.add(context);
    }

    @AfterEach
    void close() throws Exception {
        go.countDown();
        for (int i = opened.size() - 1; i >= 0; i--) opened.get(i).close();
    }

    private Page open(String path) {
        Page page = context.newPage();
        page.navigate(console.address() + path);
        return page;
    }

    private void go(Page page, String path) {
        page.navigate(console.address() + path);
    }

    private String value(String sql) {
        return String.valueOf(database.value(sql));
    }

    private static void confirm(Page page, String button) {
        // The question is asked by the script of the page.
        page.waitForLoadState();
        page.locator("main button:has-text('" + button + "')").first().click();
        page.locator("#question button.strong").click();
    }

    @Test
    void pages_ofAnEmptyDatabase_teachTheFirstCommand_andShowWhatItMakes() {
        for (String path : List.of("/tasks", "/jobs/queues", "/workflows")) {
            Page page = open(path);
            page.setViewportSize(390, 800);
            assertThat(page.locator("[data-live-text]")).hasText("live");
            String command = page.locator(".empty pre code").first().textContent();
            database.execute(command);
            assertThat(page.locator("tr[data-row]")).hasCount(1);
            assertThat(page.locator(".empty")).hasCount(0);
            page.close();
        }
        for (String path : List.of("/schedules", "/tokens", "/nodes", "/processes", "/sweeps"))
            assertThat(open(path).locator(".empty code").last()).containsText("howdah ");
    }

    @Test
    void task_thatFails_hasItsErrorMarked_andRunsAgain() {
        opened.add(TaskScheduler.on(Database.of(database.uri())).start());
        String id = value("INSERT INTO task (input) VALUES ('SELECT id,\n  nme FROM customer') RETURNING id");
        Page page = open("/tasks/" + id);
        assertThat(page.locator("[data-part=task]")).containsText("relation \"customer\" does not exist");
        assertThat(page.locator("[data-part=task]"))
                .containsText("The error is at line 2, character 12: it is marked.");
        assertThat(page.locator("[data-part=task] mark").first()).containsText("customer");
        database.execute("CREATE TABLE customer (id int, nme text); INSERT INTO customer VALUES (7, 'Ann')");
        confirm(page, "Run again");
        assertThat(page.locator("[data-part=task]")).containsText("Ann");
        assertThat(page.locator("[data-part=task] mark")).hasCount(0);
    }

    @Test
    void search_thatEndsBeforeItsGoal_goesOnUntilItIsFound_andItsAddressShowsTheSame() {
        database.execute("INSERT INTO task (input, state) VALUES ('SELECT ''a needle''', 'DONE');"
                + " INSERT INTO task (input, state) SELECT 'SELECT ' || n, 'DONE' FROM generate_series(1, 45000) n");
        Page page = open("/tasks?text=needle");
        assertThat(page.locator("tr[data-row]")).hasCount(0);
        int steps = 0;
        while (page.locator("tr[data-row]").count() == 0 && steps++ < 5) {
            String from = page.url();
            page.locator("main a:has-text('earch further')").first().click();
            page.waitForURL(url -> !url.equals(from));
        }
        assertThat(page.locator("tr[data-row='1']")).hasCount(1);
        assertThat(steps).isBetween(1, 5);
        Page other = context.newPage();
        other.navigate(page.url());
        assertThat(other.locator("tr[data-row='1']")).hasCount(1);
    }

    @Test
    void limit_thatIsReached_namesTheJobThatRuns_andRaisedBothRun() {
        database.execute("SELECT howdah.limit('mail', 1)");
        opened.add(Jobs.on(ConsoleFixtures.source(database))
                .nodeName("a")
                .queues("mail")
                .handle(SEND, (n, job) -> go.await())
                .start());
        String first = value("SELECT id FROM howdah.add('mail', 'send', '1')");
        Page page = open("/jobs/" + first);
        assertThat(page.locator(".facts")).containsText("running");
        String second = value("SELECT id FROM howdah.add('mail', 'send', '2')");
        go(page, "/jobs/" + second);
        assertThat(page.locator(".cause").first())
                .containsText("The limit of queue \"mail\" is reached: 1 of 1 runs (job " + first + " on node");
        go(page, "/jobs/queues/mail");
        page.getByText("Limit how many run at the same time").click();
        page.locator("#f-limit-jobs").fill("2");
        page.locator("details[open] button.strong").click();
        assertThat(page.locator("[data-said]")).containsText("The limit of queue mail is set.");
        go(page, "/jobs/" + second);
        assertThat(page.locator(".facts")).containsText("running");
    }

    @Test
    void schedule_isPreviewedOverAClockChange_pausedRunEditedAndRemoved() {
        Page page = open("/schedules/new");
        page.locator("#f-name").fill("monthly");
        page.locator("#f-cron").fill("30 3 1 * *");
        page.locator("#f-zone").fill("Europe/Berlin");
        page.locator("#f-kind").fill("send");
        page.locator("#f-queue").fill("mail");
        page.keyboard().press("Enter");
        assertThat(page.locator(".checked")).containsText("at 03:30 on the 1st of each month, Europe/Berlin");
        assertThat(page.locator(".checked .change").first()).containsText("the clocks went");
        page.locator("button:has-text('Store the schedule')").click();
        assertThat(page.locator("h1")).containsText("monthly");
        confirm(page, "Pause");
        // The cause comes live, too, on the page whose form is still on its way.
        assertThat(page.locator("[data-said]")).containsText("Schedule monthly is paused.");
        assertThat(page.locator(".cause").first()).containsText("It is paused since");
        confirm(page, "Run now");
        assertThat(page.locator("[data-said]")).containsText("Job 1 of schedule monthly was added.");
        assertThat(value("SELECT count(*) FROM howdah_internal.job")).isEqualTo("1");
        page.locator("main button:has-text('Resume')").click();
        assertThat(page.locator("[data-said]")).containsText("goes on");
        page.locator("a:has-text('Edit')").click();
        page.locator("#f-cron").fill("0 12 * * MON-FRI");
        page.keyboard().press("Enter");
        page.locator(".checked button.strong, button.strong:has-text('Store')")
                .first()
                .click();
        assertThat(page.locator(".facts")).containsText("12:00");
        confirm(page, "Remove");
        assertThat(page.locator("[data-said]")).containsText("Schedule monthly is removed.");
        assertThat(value("SELECT count(*) FROM howdah.schedule")).isEqualTo("0");
        assertThat(value("SELECT count(*) FROM howdah_internal.job")).isEqualTo("1");
    }

    private static double top(Locator row) {
        return ((Number) row.evaluate("e => e.getBoundingClientRect().top")).doubleValue();
    }

    @Test
    void changes_aThousandASecond_moveNoRowThatIsRead_andThePageStaysUsable() throws InterruptedException {
        String fifty = "INSERT INTO task (input, plan)"
                + " SELECT 'SELECT ' || n, now() + interval '1 h' FROM generate_series(1, 50) n";
        database.execute(fifty);
        Page page = open("/tasks");
        // The browser, the console, the server and the writer share the processors of a small machine.
        page.setDefaultTimeout(Patience.LIMIT.toMillis());
        assertThat(page.locator("[data-live-text]")).hasText("live");
        Locator read = page.locator("tr[data-row='25']");
        read.evaluate("e => scrollBy(0, e.getBoundingClientRect().top - 300)");
        double before = top(read);
        ScheduledExecutorService writer = Executors.newSingleThreadScheduledExecutor();
        opened.add(writer::shutdownNow);
        // With a pause after each: on a slow machine the writer does not catch up at the cost of the page.
        writer.scheduleWithFixedDelay(() -> database.execute(fifty), 0, 50, TimeUnit.MILLISECONDS);
        await().atMost(Patience.LIMIT).until(() -> Integer.parseInt(value("SELECT max(id) FROM task")) > 3_000);
        assertThat(top(read)).as("where the row is that is read").isCloseTo(before, within(1.0));
        assertThat(read).isInViewport();
        assertThat(page.locator(".news button")).isInViewport();
        assertThat(page.locator(".news button")).hasText("50 or more new");
        page.locator(".side a[data-key=j]").click();
        assertThat(page.locator("h1")).hasText("Jobs");
        page.locator(".side a[href='/tasks']").click();
        assertThat(page.locator("h1")).hasText("Tasks");
        page.locator("tr[data-row] a").first().click();
        page.waitForURL("**/tasks/*");
        go(page, "/tasks");
        writer.shutdown();
        assertThat(writer.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThat(page.locator("tr[data-row='" + value("SELECT max(id) FROM task") + "']"))
                .hasCount(1);
    }

    @Test
    void rowsThatComeTogether_areCounted_andShownWhenItIsCalm() {
        Page page = open("/tasks");
        assertThat(page.locator("[data-live-text]")).hasText("live");
        database.execute("INSERT INTO task (input, plan) VALUES ('SELECT 0', now() + interval '1 h')");
        assertThat(page.locator("tr[data-row='1']")).hasCount(1);
        page.evaluate(
                "new MutationObserver(() => { const news = document.querySelector('.news');"
                        + " if (news) window.counted = news.textContent; }).observe(document.body, { childList: true, subtree: true })");
        database.execute("INSERT INTO task (input, plan) SELECT 'SELECT ' || n, now() + interval '1 h'"
                + " FROM generate_series(1, 30) n");
        assertThat(page.locator("tr[data-row='31']")).hasCount(1);
        assertThat(page.locator(".news")).hasCount(0);
        assertThat(page.evaluate("window.counted")).isEqualTo("30 new");
    }

    @Test
    void clock_ofTheBrowserThatIsOff_isNamed_andTimesAreRight() {
        database.execute("INSERT INTO task (input, plan) VALUES ('SELECT 1', now() + interval '1 h 30 min 55 s')");
        Page page = open("/tasks/1");
        assertThat(page.locator(".facts, .pairs").first()).isVisible();
        assertThat(page.locator("[data-clock]")).hasCount(0);
        Page late = context.newPage();
        late.clock().setSystemTime(System.currentTimeMillis() - 3_630_000);
        late.navigate(console.address() + "/tasks/1");
        assertThat(late.locator("[data-clock]"))
                .containsText("The clock of this machine is 1 h 0 min behind that of the server");
        assertThat(late.locator("time:has-text('in 1 h 30 min')").first()).isVisible();
    }

    @Test
    void database_thatIsGone_isSaidOnTheOpenPage_whichGoesOnAfterwards() throws SQLException {
        TcpProxy proxy = TcpProxy.to("127.0.0.1", database.server().port());
        opened.add(proxy);
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:postgresql://127.0.0.1:" + proxy.port() + "/" + database.name() + "?user=postgres");
        Console cut = Console.on(source).port(0).taskTable("public", "task").start();
        opened.add(cut);
        Page page = context.newPage();
        page.navigate(cut.address() + "/tasks");
        assertThat(page.locator("[data-live-text]")).hasText("live");
        proxy.refuse();
        proxy.cut();
        assertThat(page.locator("[data-banner]")).containsText("No connection to the database since");
        assertThat(page.locator("h1")).hasText("Tasks");
        proxy.accept();
        assertThat(page.locator("[data-banner]")).isHidden();
        String id = value("INSERT INTO task (input, plan) VALUES ('SELECT 1', now() + interval '1 h') RETURNING id");
        assertThat(page.locator("tr[data-row='" + id + "']")).hasCount(1);
    }

    /** Who opens the page looks for the cause: it is whole, and has no less room than the payload. */
    @Test
    void errors_ofFailedJobs_areNotCutOffByLongPayloads() {
        Kind<String> kind = Kind.of("webhook.deliver", String.class);
        try (Jobs jobs = Jobs.on(ConsoleFixtures.source(database))
                .defaultRetries(RetryPolicy.never())
                .handle(kind, (payload, job) -> {
                    throw new IllegalStateException(
                            "duplicate key value violates unique constraint \"invoice_number_key\", as in all others of it");
                })
                .start()) {
            jobs.add(kind, "{\"tenant\": \"t6\", \"invoice\": \"" + "0123456789".repeat(20) + "\"}");
            await().atMost(Patience.LIMIT)
                    .until(() ->
                            "failed".equals(value("SELECT state FROM howdah.jobs WHERE kind = 'webhook.deliver'")));
        }
        for (int width : new int[] {1300, 1280, 1000, 700}) {
            Page page = open("/jobs?state=failed");
            page.setViewportSize(width, 800);
            assertThat(page.locator("td.error")).containsText("duplicate key");
            assertThat(page.evaluate("() => { const error = document.querySelector('td.error');"
                            + " const box = error.getBoundingClientRect();"
                            + " const payload = document.querySelector('td.excerpt').getBoundingClientRect();"
                            + " return error.scrollWidth <= error.clientWidth && box.width >= payload.width && box.width >= 240"
                            + " && box.right <= error.closest('.scroll').getBoundingClientRect().right; }"))
                    .as("the error at %d pixels", width)
                    .isEqualTo(true);
            page.close();
        }
    }

    /** In the window, and nothing lies over it, also in tables that are wider. */
    @Test
    void actionsOfRows_areInTheWindow_howeverWideTheTableIs() throws Exception {
        database.execute(
                "SELECT howdah.add(repeat('queue', 19) || n, repeat('kind', 12), '1') FROM generate_series(1, 3) n;"
                        + " SELECT howdah.pause(repeat('queue', 19) || '1');"
                        + " SELECT howdah.retain(repeat('queue', 19) || '1', 'done', '1 day')");
        Kind<String> kind = Kind.of("kind".repeat(20), String.class);
        try (Jobs jobs = Jobs.on(ConsoleFixtures.source(database))
                .queues("mail".repeat(20))
                .defaultRetries(RetryPolicy.never())
                .handle(kind, (payload, job) -> {
                    throw new IllegalStateException("an error of many words ".repeat(20));
                })
                .start()) {
            jobs.add(NewJob.of(kind, "1").queue("mail".repeat(20)));
            await().atMost(Patience.LIMIT).until(() -> "failed".equals(value("SELECT min(state) FROM howdah.jobs")));
        }
        for (int width : new int[] {1440, 1280, 1000})
            for (String path : List.of("/jobs/queues", "/jobs/errors", "/settings")) {
                Page page = open(path);
                page.setViewportSize(width, 800);
                Locator actions = page.locator("td.last button, td.last a");
                assertThat(actions.first()).isVisible();
                assertThat(actions.evaluateAll("all => all.filter(e => { const box = e.getBoundingClientRect();"
                                + " const seen = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);"
                                + " return !(box.right <= innerWidth && (seen === e || e.contains(seen))); })"
                                + ".map(e => e.outerHTML.slice(0, 80) + e.getBoundingClientRect().right).join()"))
                        .as("what cannot be clicked at %s, %d pixels", path, width)
                        .isEqualTo("");
                page.close();
            }
    }

    @Test
    void pages_zoomedNarrowOrInForcedColours_loseNothing() {
        database.execute(
                "INSERT INTO task (input, plan) VALUES ('SELECT ' || repeat('a_long_name', 40), now() + interval '1 h');"
                        + " SELECT howdah.add(repeat('queue', 12), repeat('kind', 12), '1')");
        Page page = open("/");
        page.emulateMedia(new Page.EmulateMediaOptions().setForcedColors(ForcedColors.ACTIVE));
        // A window of 1,280 pixels at 200 % and at 400 % has room for so many.
        for (int width : new int[] {640, 320}) {
            page.setViewportSize(width, 640);
            for (String path :
                    List.of("/", "/tasks", "/tasks/1", "/jobs", "/jobs/1", "/jobs/queues", "/database", "/settings")) {
                go(page, path);
                assertThat(
                                page.evaluate(
                                        "[...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll, .tabs')"
                                                + " && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 80)).join()"))
                        .as("what is wider than %d pixels at %s", width, path)
                        .isEqualTo("");
                assertThat(page.locator("h1")).isVisible();
                assertThat(page.evaluate("[...document.querySelectorAll('main button, main a.button')].filter(e =>"
                                + " e.offsetParent && getComputedStyle(e).borderStyle === 'none').length"))
                        .as("buttons without a border at %s", path)
                        .isEqualTo(0);
            }
        }
    }
}
