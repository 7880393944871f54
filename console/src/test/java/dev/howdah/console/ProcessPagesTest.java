package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.process.Action;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.ProcessState;
import dev.howdah.process.ProcessTask;
import dev.howdah.process.Processes;
import dev.howdah.process.StepFailedException;
import dev.howdah.process.notice.DeliveryException;
import dev.howdah.process.notice.Notice;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The pages of processes, while a node runs them. */
@PostgresTest
class ProcessPagesTest {
    private static final String HOSTILE = "<script>alert(1)</script>";
    private static final String HOSTILE_PATH = "%3Cscript%3Ealert%281%29%3C%2Fscript%3E";

    private final TestDatabase database;
    private volatile boolean refusing = true;
    private Processes node;
    private Console console;
    private ConsoleClient client;

    ProcessPagesTest(TestDatabase database) {
        this.database = database;
    }

    private static Intent step(ProcessTask task, ProcessState process) {
        String args = task.args().text();
        if (args.equals("\"fail\"")) throw new StepFailedException("out of stock: " + HOSTILE);
        Intent intent = Intent.none().event(args).response(task.type().text() + " " + (process.lastEventId() + 1));
        return args.equals("\"later\"") ? intent.then(Action.timeout(Duration.ofHours(1))) : intent;
    }

    private void publish(List<Notice> notices) throws DeliveryException {
        if (!refusing) return;
        DeliveryException refused = new DeliveryException("too large", null);
        boolean any = false;
        for (Notice each : notices)
            if (each.process().equals("blocked")) {
                refused.refused(each, "too large for " + HOSTILE);
                any = true;
                break;
            }
        if (any)
            throw refused.arrived(notices.stream()
                    .filter(each -> !each.process().equals("blocked"))
                    .toList());
    }

    @BeforeEach
    void start() {
        node = Processes.on(ConsoleFixtures.source(database))
                .namespace(Namespace.of("order", ProcessPagesTest::step), this::publish)
                .start();
        console = ConsoleFixtures.console(database).start();
        client = new ConsoleClient(console.address());
    }

    @AfterEach
    void stop() {
        console.close();
        node.close();
    }

    private String page(String path) {
        HttpResponse<String> answer = client.get(path);
        assertThat(answer.statusCode()).as(path).isEqualTo(200);
        assertThat(answer.body()).as(path).doesNotContain("<script>alert").doesNotContain("class=\"problem\"");
        return answer.body().replaceAll("\\s+", " ");
    }

    private String said(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).isEqualTo(303);
        String cookie = answer.headers().firstValue("Set-Cookie").orElseThrow();
        HttpResponse<String> next = client.get(
                answer.headers().firstValue("Location").orElseThrow(),
                "Cookie",
                cookie.substring(0, cookie.indexOf(';')));
        return next.body().replaceAll("(?s).*data-said[^>]*>([^<]*)<.*", "$1");
    }

    @Test
    void namespaces_andProcesses_areListed() {
        node.init("order", "order-1", "chairs");
        node.init("order", "order-2", "later");
        node.init("order", "refund-1", "chairs");
        node.init("order", HOSTILE, "chairs");
        assertThat(page("/processes")).contains("/processes/order\"").contains("<a href=\"/nodes\">1</a>");
        assertThat(page("/processes/order")).contains("/processes/order/order-1\"", "&lt;script&gt;", HOSTILE_PATH);
        assertThat(page("/processes/order?prefix=order-"))
                .contains("/processes/order/order-1\"", "/processes/order/order-2\"")
                .doesNotContain("/processes/order/refund-1\"");
        assertThat(page("/processes/order?prefix=none")).contains("No process of order matches");
        String first = page("/processes/order?prefix=order-&limit=1");
        assertThat(first).contains("order-1\"").doesNotContain("/processes/order/order-2\"");
        assertThat(page("/processes/order?prefix=order-&limit=1&after=order-1")).contains("/processes/order/order-2\"");
        assertThat(page("/processes/order?status=error")).contains("No process of order matches");
        assertThat(page("/processes/order?view=timers")).contains("order-2\"", "its timeout runs");
        assertThat(client.get("/processes/none").body()).contains("There is no namespace");
        assertThat(client.get("/processes/order/none").statusCode()).isEqualTo(404);
        assertThat(client.get("/processes/order?status=x").statusCode()).isEqualTo(400);
    }

    @Test
    void process_isStartedCalledAndRemoved_fromItsPages() {
        String form = "/processes/order?view=new";
        assertThat(page(form)).contains("data-live=\"off\"");
        assertThat(said(client.submit(form, "/processes/order", "id=order-1&args=%22chairs%22")))
                .contains("Process order-1 is created. Its answer: &#34;init 1&#34;".replace("&#34;", "\""));
        assertThat(said(client.submit(form, "/processes/order", "id=order-1&args=1")))
                .contains("process already exists");
        assertThat(client.submit(form, "/processes/order", "id=&args=1").statusCode())
                .isEqualTo(400);
        HttpResponse<String> wrong = client.submit(form, "/processes/order", "id=order-2&args=%7Boops");
        assertThat(wrong.statusCode()).isEqualTo(400);
        assertThat(wrong.body()).contains("the arguments are no JSON");
        String path = "/processes/order/order-1";
        assertThat(said(client.submit(path, path + "/call", "args=%22pay%22"))).contains("was called", "call 2");
        assertThat(said(client.submit(path, path + "/notify", "args=%22sent%22")))
                .contains("got the message");
        Awaitility.await().until(() -> node.get("order", "order-1").lastEventId() == 3);
        assertThat(page(path))
                .contains(
                        "<svg class=\"timeline\"",
                        "href=\"#event-2\"",
                        "init 1",
                        "call 2",
                        "running</span>",
                        "It has nothing to do: no timer, no call.")
                .contains("id=\"event-3\"");
        HttpResponse<String> asked = client.submit(path, path + "/remove", "");
        assertThat(asked.body()).contains("Remove process order-1? It and its history go for good.");
        assertThat(said(client.submit(path, path + "/remove", "confirmed=yes"))).contains("is removed");
        assertThat(client.get(path).statusCode()).isEqualTo(404);
    }

    @Test
    void process_broken_isRepaired() {
        String path = "/processes/order/" + HOSTILE_PATH;
        node.init("order", HOSTILE, "chairs");
        assertThat(said(client.submit(path, path + "/call", "args=%22fail%22"))).contains("failed: out of stock");
        assertThat(page("/processes")).contains("?status=error");
        assertThat(page("/processes/order?status=error")).contains("out of stock");
        assertThat(page(path))
                .contains("broken</span>", "out of stock", "Repair it by a step", "It goes on as it is")
                .doesNotContain("Call, and wait");
        assertThat(said(client.submit(path, path + "/simple-repair", "confirmed=yes")))
                .contains("is repaired");
        assertThat(page(path)).contains("running</span>", "Call, and wait");
        assertThat(said(client.submit(path, path + "/simple-repair", "confirmed=yes")))
                .contains("process is running");
        client.submit(path, path + "/call", "args=%22fail%22");
        assertThat(said(client.submit(path, path + "/repair", "confirmed=yes&args=%22by%20hand%22")))
                .contains("is repaired. Its answer", "repair");
    }

    @Test
    void notice_blocked_isDecidedOn() {
        node.init("order", "blocked", "chairs");
        Awaitility.await()
                .atMost(Patience.LIMIT)
                .until(() -> node.notices().held("order", 1).size() == 1);
        String notices = "/processes/order?view=notices";
        assertThat(page(notices)).contains("/processes/order/blocked\"", "too large for &lt;script&gt;");
        assertThat(page("/processes")).contains("class=\"fail\" href=\"/processes/order?view=notices\"");
        ApiClient api = new ApiClient(console.address());
        assertThat(api.get("/namespaces/order/notices")
                        .json()
                        .at("/items/0/process")
                        .asText())
                .isEqualTo("blocked");
        assertThat(api.post("/processes/order/blocked/notice-again", null).text("changed"))
                .isEqualTo("true");
        Awaitility.await().until(() -> node.notices().held("order", 1).size() == 1);
        assertThat(page("/processes/order/blocked")).contains("Skip the blocked notice");
        refusing = false;
        assertThat(said(client.submit(notices, "/processes/order/blocked/notice-skip", "confirmed=yes")))
                .contains("is skipped");
        Awaitility.await()
                .atMost(Patience.LIMIT)
                .until(() -> node.notices().backlog("order").held() == 0);
        assertThat(page(notices)).contains("No notice of order is blocked");
        assertThat(said(client.submit(
                        "/processes/order/blocked", "/processes/order/blocked/notice-again", "confirmed=yes")))
                .contains("No notice of process blocked is blocked.");
        assertThat(api.post("/processes/order/blocked/notice-skip", null).status())
                .isEqualTo(409);
        assertThat(api.post("/processes/none/blocked/notice-skip", null).text("detail"))
                .isEqualTo("there is no namespace \"none\"");
    }

    @Test
    void process_ofManyEvents_isPaged() {
        node.init("order", "long", "chairs");
        database.execute(
                "INSERT INTO howdah_internal.process_event (process, id, task, at, payload)"
                        + " SELECT p.number, n, 1, now(), '1' FROM howdah_internal.process p, generate_series(2, 250) n WHERE p.id = 'long'");
        assertThat(page("/processes/order/long"))
                .contains("id=\"event-250\"", "id=\"event-151\"", "?before=151")
                .doesNotContain("id=\"event-150\"");
        assertThat(page("/processes/order/long?before=151"))
                .contains("id=\"event-150\"", "?before=51", "The newest events");
        assertThat(page("/processes/order/long?before=51"))
                .contains("id=\"event-1\"")
                .doesNotContain("Earlier events");
    }
}
