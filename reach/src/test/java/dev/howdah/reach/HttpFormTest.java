package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import jakarta.mail.BodyPart;
import jakarta.mail.internet.MimeMultipart;
import jakarta.mail.util.ByteArrayDataSource;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests that are forms with documents, and requests that are signed; forms are read by the parser of Jakarta Mail. */
@Tag("long")
class HttpFormTest {
    private static final String SECRET = "whsec_"
            + Base64.getEncoder().encodeToString("0123456789abcdef01234567".getBytes(StandardCharsets.US_ASCII));
    private static final String OLD = "an-older-secret-of-this-hook";

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Seen(Headers headers, byte[] body) {
        String header(String name) {
            return String.valueOf(headers.getFirst(name));
        }
    }

    private final TestDatabase database = TestDatabase.create(TestServer.of(TestServer.NEWEST));
    private final Queue<Seen> seen = new ConcurrentLinkedQueue<>();
    private final AtomicInteger status = new AtomicInteger(200);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer server;
    private ReachingTasks tasks;
    private Path file;

    @TempDir
    Path directory;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            try (exchange) {
                seen.add(new Seen(
                        exchange.getRequestHeaders(), exchange.getRequestBody().readAllBytes()));
                byte[] answer = (OLD + " " + SECRET).getBytes(StandardCharsets.US_ASCII);
                exchange.sendResponseHeaders(status.get(), answer.length);
                exchange.getResponseBody().write(answer);
            }
        });
        server.start();
        secret("hook.key", SECRET);
        secret("old.key", OLD);
        file = Files.writeString(directory.resolve("reach.json"), """
                {"credentials": {
                  "hook": {"kind": "webhook", "file": "hook.key", "secrets": {"old": {"file": "old.key"}}, "for": "http://127.0.0.1:*"},
                  "own": {"kind": "hmac", "header": "X-Signature", "id": "X-Id", "timestamp": "X-Time", "prefix": "v0=",
                    "encoding": "base64", "file": "old.key", "for": "http://127.0.0.1:*=postgres"},
                  "theirs": {"kind": "webhook", "file": "old.key", "for": "http://127.0.0.1:*=other"},
                  "bearer": {"kind": "bearer", "file": "old.key", "for": "http://127.0.0.1:*"}}}
                """);
        database.execute("ALTER DATABASE " + database.name() + " SET pg_task.functions = on");
        tasks = new ReachingTasks(database, ReachSettings.of(List.of("http://127.0.0.1:*"), file, Map.of()));
    }

    private void secret(String name, String text) throws IOException {
        Path path = Files.writeString(directory.resolve(name), text);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
    }

    @AfterEach
    void close() {
        tasks.close();
        server.stop(0);
        threads.shutdownNow();
        database.close();
    }

    private String at(String rest) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + rest;
    }

    private static List<String> parts(Seen request) throws Exception {
        MimeMultipart form = new MimeMultipart(new ByteArrayDataSource(request.body(), request.header("Content-Type")));
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < form.getCount(); i++) {
            BodyPart each = form.getBodyPart(i);
            byte[] bytes = each.getInputStream().readAllBytes();
            String text = bytes.length > 100
                    ? new String(bytes, 0, 4, StandardCharsets.US_ASCII)
                    : new String(bytes, StandardCharsets.UTF_8);
            String type = each.getHeader("Content-Type") == null ? "" : each.getContentType();
            String head = new String(
                    each.getHeader("Content-Disposition")[0].getBytes(StandardCharsets.ISO_8859_1),
                    StandardCharsets.UTF_8);
            parts.add(head.replaceFirst("form-data; ", "") + "|" + type + "|" + text);
        }
        return parts;
    }

    @Test
    void form_ofFieldsAndDocuments_isSent_theSameInEachAttempt() throws Exception {
        database.execute("SELECT howdah.template('note', '<p>Счёт</p>')");
        status.set(500);
        long form =
                Long.parseLong(database.value("WITH pdf AS (SELECT howdah.pdf('note', name => 'счёт \"17\".pdf') AS id)"
                        + " SELECT howdah.http('" + at("/upload") + "', attempts => 2, parts => jsonb_build_array("
                        + "jsonb_build_object('name', 'kind', 'value', E'счёт\\r\\n--x'),"
                        + "jsonb_build_object('name', 'file', 'task', id),"
                        + "jsonb_build_object('name', 'copy', 'task', id, 'filename', 'a.bin', 'type', 'application/x-a'),"
                        + "jsonb_build_object('name', 'note', 'value', 'a,b', 'filename', 'n.csv', 'type', 'text/csv')))"
                        + " FROM pdf"));
        tasks.awaitState(form, "FAIL");
        status.set(200);
        long again = Long.parseLong(String.valueOf(tasks.column("retry", form)));
        tasks.awaitState(again, "DONE");
        assertThat(seen).hasSize(2);
        List<Seen> both = List.copyOf(seen);
        assertThat(both.get(1).body()).isEqualTo(both.get(0).body());
        assertThat(parts(both.get(0)))
                .containsExactly(
                        "name=\"kind\"||счёт\r\n--x",
                        "name=\"file\"; filename=\"счёт %2217%22.pdf\"|application/pdf|%PDF",
                        "name=\"copy\"; filename=\"a.bin\"|application/x-a|%PDF",
                        "name=\"note\"; filename=\"n.csv\"|text/csv|a,b");
        assertThat(both.get(0).header("Content-Length"))
                .isEqualTo(Integer.toString(both.get(0).body().length));
        assertThat(database.value("SELECT after::text FROM task WHERE id = " + form))
                .matches("\\{\\d+}");
        assertThatThrownBy(() -> database.value("SELECT howdah.http('" + at("/") + "', body => 'x', parts => '[]')"))
                .hasStackTraceContaining("not several of them");
        assertThatThrownBy(() -> database.value("SELECT howdah.http('" + at("/") + "', parts => '{}')"))
                .hasStackTraceContaining("parts are an array of JSON");
    }

    @Test
    void form_thatIsWrong_isRefusedBeforeAnythingIsSent() {
        String part = "[{\"name\": \"a\", \"value\": \"b\"}]";
        for (Map.Entry<String, String> each : Map.ofEntries(
                        Map.entry("", "the input is an array of JSON"),
                        Map.entry("{}", "the input is an array of JSON"),
                        Map.entry("[]", "the input is an array of JSON"),
                        Map.entry("[{}\n,", "this is none, at line 2"),
                        Map.entry("[".repeat(5_000), "this is none"),
                        Map.entry("[1]", "part 1 of the form: an object of JSON has to stand here"),
                        Map.entry("[{\"value\": \"b\"}]", "part 1 of the form: it has no name"),
                        Map.entry("[{\"name\": \"a\"}]", "it has a \"value\", a \"document\" or a \"task\""),
                        Map.entry("[{\"name\": \"a\", \"value\": 1}]", "\"value\" has to be a text"),
                        Map.entry(
                                "[{\"name\": \"a\", \"value\": \"b\", \"vlaue\": \"c\"}]", "there is no key \"vlaue\""),
                        Map.entry("[{\"name\": \"a\\r\\nX-Evil: 1\", \"value\": \"b\"}]", "\"name\" has a line break"),
                        Map.entry(
                                "[{\"name\": \"a\", \"value\": \"b\", \"filename\": \"c\\nd\"}]",
                                "\"filename\" has a line break"),
                        Map.entry(
                                "[{\"name\": \"a\", \"value\": \"b\", \"type\": \"text/x y\"}]",
                                "\"type\" has to be such as application/pdf"),
                        Map.entry(
                                "[{\"name\": \"a\", \"document\": \"../x\"}]", "\"document\" has to be the id of one"),
                        Map.entry(
                                "[{\"name\": \"a\", \"document\": \"6b1f0a3e-0000-4000-8000-000000000000\"}]",
                                "there is no document 6b1f0a3e"),
                        Map.entry("[{\"name\": \"a\", \"task\": 99}]", "there is no task 99 with a document"),
                        Map.entry("[{\"name\": \"a\", \"task\": \"1\"}]", "\"task\" has to be the id of a task"),
                        Map.entry(
                                "[" + "{\"name\": \"a\", \"value\": \"b\"},".repeat(100) + part.substring(1),
                                "more than 100 parts"))
                .entrySet())
            assertThat(tasks.error(at("/#input=multipart"), each.getKey()))
                    .as(each.getKey())
                    .startsWith("ERROR:  ")
                    .contains(each.getValue());
        assertThat(tasks.error(at("/#input=multipart&type=text/csv"), part)).contains("needs no option");
        assertThat(tasks.error(at("/#input=multipart&header=Content-Type:a/b"), part))
                .contains("needs no option");
        assertThat(tasks.error(at("/#input=multipart&body=task:1"), part)).contains("not by the option body");
        assertThat(tasks.error(at("/#input=form"), part)).contains("body, request or multipart, not \"form\"");
        assertThat(seen).isEmpty();
    }

    @Test
    void form_thatIsTooLarge_isRefused_andManyShareTheirMemory() throws Exception {
        database.execute("SELECT howdah.template('note', '<p>x</p>')");
        String pdf = database.value("SELECT howdah.pdf('note')");
        tasks.awaitState(Long.parseLong(pdf), "DONE");
        database.execute("UPDATE howdah.document SET bytes = convert_to(repeat('x', 12 << 20), 'UTF8')");
        String one = "{\"name\": \"a\", \"task\": " + pdf + "}";
        assertThat(tasks.error(at("/#input=multipart"), "[" + one + "," + one + "," + one + "]"))
                .contains("the parts of the form have more than 32 MiB");
        database.execute("INSERT INTO task (\"group\", max, remote, input) SELECT 'g', 1000, '"
                + at("/#input=multipart") + "', '[" + one + "]' FROM generate_series(1, 12)");
        org.awaitility.Awaitility.await()
                .atMost(Patience.LIMIT)
                .untilAsserted(() -> assertThat(
                                database.value("SELECT count(*) FROM task WHERE state = 'DONE' AND \"group\" = 'g'"))
                        .isEqualTo("12"));
        assertThat(seen).allSatisfy(each -> assertThat(each.body()).hasSizeGreaterThan(12 << 20));
    }

    @Test
    void webhook_isSigned_asStandardWebhooksAndInAFormOfItsOwn() throws Exception {
        assertThat(tasks.output(at("/#sign=hook&key=order-17"), "{\"счёт\": 17}"))
                .as("secrets that the answer repeats")
                .isEqualTo("*** ***");
        Seen standard = seen.remove();
        assertThat(standard.header("webhook-id")).isEqualTo("order-17").isEqualTo(standard.header("Idempotency-Key"));
        String signed = "order-17." + standard.header("webhook-timestamp") + ".{\"счёт\": 17}";
        assertThat(standard.header("webhook-signature"))
                .isEqualTo(
                        "v1," + base64(hmac("0123456789abcdef01234567", signed)) + " v1," + base64(hmac(OLD, signed)));
        assertThat(Long.parseLong(standard.header("webhook-timestamp")))
                .isBetween(System.currentTimeMillis() / 1000 - 60, System.currentTimeMillis() / 1000 + 1);
        assertThat(tasks.output(at("/#sign=own&as=bearer&method=PUT"), "x")).isEqualTo("*** " + SECRET);
        Seen own = seen.remove();
        assertThat(own.header("Authorization")).isEqualTo("Bearer " + OLD);
        assertThat(own.header("X-Signature"))
                .isEqualTo("v0=" + base64(hmac(OLD, own.header("X-Id") + "." + own.header("X-Time") + ".x")));
        assertThat(own.header("X-Id")).isEqualTo(own.header("Idempotency-Key"));
        tasks.awaitState(
                Long.parseLong(database.value("SELECT howdah.http('" + at("/")
                        + "', sign => 'hook', parts => '[{\"name\": \"a\", \"value\": \"b\"}]')")),
                "DONE");
        Seen form = seen.remove();
        assertThat(form.header("webhook-signature"))
                .contains(base64(hmac(
                        OLD,
                        form.header("webhook-id") + "." + form.header("webhook-timestamp") + "."
                                + new String(form.body(), StandardCharsets.UTF_8))));
        assertThat(tasks.output(at("/#sign=hook"), "")).isEqualTo("*** ***");
        assertThat(seen.remove().header("webhook-signature"))
                .as("without a body")
                .startsWith("v1,");
    }

    @Test
    void webhook_withAnotherCredential_isRefused() throws IOException {
        assertThat(tasks.error(at("/#sign=theirs"), "x")).contains("there is no credential \"theirs\" for role");
        assertThat(tasks.error(at("/#sign=bearer"), "x")).contains("is none that signs requests");
        assertThat(tasks.error(at("/#as=hook"), "x")).contains("signs requests: it is named by sign=hook");
        assertThat(tasks.error(at("/#sign=hook&header=webhook-id:1"), "x")).contains("is not yours to say");
        assertThat(seen).isEmpty();
        for (Map.Entry<String, String> each : Map.of(
                        "\"kind\": \"webhook\", \"header\": \"X-A\"", "the kinds header and hmac, and no other",
                        "\"kind\": \"hmac\"", "the kind hmac has the header",
                        "\"kind\": \"bearer\", \"prefix\": \"a\"", "the kind hmac, and no other, has \"prefix\"")
                .entrySet()) {
            Files.writeString(
                    file,
                    "{\"credentials\": {\"a\": {" + each.getKey()
                            + ", \"file\": \"old.key\", \"for\": \"http://a\"}}}");
            assertThatThrownBy(() -> ReachSettings.of(List.of(), file, Map.of()))
                    .as(each.getKey())
                    .hasMessageContaining(each.getValue());
        }
        secret("short.key", "tooshort");
        Files.writeString(
                file,
                "{\"credentials\": {\"a\": {\"kind\": \"webhook\", \"file\": \"short.key\", \"for\": \"http://a\"}}}");
        assertThatThrownBy(() -> ReachSettings.of(List.of(), file, Map.of()))
                .hasMessageContaining("needs 16 or more")
                .hasMessageNotContaining("tooshort");
    }

    private static byte[] hmac(String secret, String text) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.US_ASCII), "HmacSHA256"));
        return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }
}
