package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.serve.JobPlan;
import dev.howdah.fixtures.HttpPlace;
import dev.howdah.fixtures.HttpPlace.Seen;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.http.Signer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Queue;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queues whose jobs of kind http the daemon delivers, signed, to where the configuration allows and nowhere else. */
@PostgresTest
class SignedPostJobTest {
    private static final String SECRET = "a secret of more than sixteen bytes";

    private final TestDatabase database;
    private final HttpPlace place;
    private final Queue<Seen> seen;
    private final String address;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path home;

    SignedPostJobTest(TestDatabase database) throws IOException {
        this.database = database;
        place = new HttpPlace(this::answer);
        seen = place.seen();
        address = place.address();
    }

    @AfterEach
    void stop() {
        place.close();
    }

    /** The path says what the answer is: a status, and after it what else. */
    private void answer(HttpExchange exchange, Seen request) throws IOException, InterruptedException {
        String path = request.path();
        long times = seen.stream().filter(each -> each.path().equals(path)).count();
        String[] words = path.split("/");
        int status = words[1].equals("slow") ? 200 : Integer.parseInt(words[1]);
        if (words.length > 2 && words[2].equals("once") && times > 1) status = 204;
        if (words[1].equals("slow")) place.over().await();
        if (words.length > 2 && words[2].equals("again"))
            exchange.getResponseHeaders().set("Retry-After", words[3]);
        if (status / 100 == 3)
            exchange.getResponseHeaders().set("Location", "http://user:pass@169.254.169.254/latest?token=secret#part");
        boolean endless = words.length > 2 && words[2].equals("endless");
        exchange.sendResponseHeaders(status, status == 204 ? -1 : 0);
        if (status == 204) return;
        OutputStream out = exchange.getResponseBody();
        byte[] text = "no\u0007 <b>good</b>\n ".getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < (endless ? 1_000_000 : 1); i++) out.write(text);
    }

    private WorkedJobs worked(String... more) throws Exception {
        String[] all = new String[6 + more.length];
        System.arraycopy(
                new String[] {
                    "queues",
                    "q",
                    "http-allow",
                    address,
                    "http-secret",
                    WorkedJobs.secret(home, SECRET).toString()
                },
                0,
                all,
                0,
                6);
        System.arraycopy(more, 0, all, 6, more.length);
        return WorkedJobs.in(database, all);
    }

    private String payload(String path, String more) {
        return "{\"url\": \"" + address + path + "\"" + more + "}";
    }

    @Test
    void request_2xx_isDoneAndWasSignedOverWhatWasSent() throws Exception {
        try (WorkedJobs worked = worked()) {
            long id = worked.http(payload(
                    "/200/in?x=1",
                    ", \"body\": {\"n\": 1.10, \"s\": \"gr\u00fc\u00df\"}, \"headers\": {\"X-Shop\": \"1\"}"));
            assertThat(worked.await(id, "done")).isEqualTo("{\"status\": 200}");
            Seen request = seen.element();
            assertThat(request.body()).isEqualTo("{\"n\":1.10,\"s\":\"gr\u00fc\u00df\"}");
            assertThat(request.headers().getFirst("X-Shop")).isEqualTo("1");
            assertThat(request.headers().getFirst("Content-Type")).isEqualTo("application/json");
            assertThat(request.headers().getFirst("Howdah-Attempt")).isEqualTo("1");
            assertThat(request.headers().getFirst("Howdah-Fencing-Token")).matches("\\d+");
            String number = request.headers().getFirst("Webhook-Id");
            assertThat(number).endsWith("-" + id).isEqualTo(request.headers().getFirst("Idempotency-Key"));
            String time = request.headers().getFirst("Webhook-Timestamp");
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            String signed = Base64.getEncoder()
                    .encodeToString(
                            mac.doFinal((number + "." + time + "." + request.body()).getBytes(StandardCharsets.UTF_8)));
            assertThat(request.headers().getFirst("Webhook-Signature")).isEqualTo("v1," + signed);
            long bare = worked.http(payload("/204", ""));
            worked.await(bare, "done");
            assertThat(database.value("SELECT count(*) FROM howdah.jobs WHERE payload::text LIKE '%secret of%'"))
                    .isEqualTo("0");
        }
    }

    @Test // the same key in each attempt, so that whoever has seen it knows
    void request_failsOnce_isTriedAgainWithTheSameKey() throws Exception {
        try (WorkedJobs worked = worked()) {
            long id = worked.http(payload("/500/once", ", \"body\": [1]"));
            assertThat(worked.await(id, "retrying")).isEqualTo(address + "/500/once answered 500: no <b>good</b>");
            database.execute("SELECT howdah.hurry(" + id + ")");
            worked.await(id, "done");
            assertThat(seen.stream()
                            .map(each -> each.headers().getFirst("Idempotency-Key"))
                            .distinct())
                    .hasSize(1);
            assertThat(seen.stream().map(each -> each.headers().getFirst("Howdah-Attempt")))
                    .containsExactly("1", "2");
        }
    }

    @Test
    void answers_ofAllSorts_endAsWritten() throws Exception {
        try (WorkedJobs worked = worked()) {
            List<Integer> fatal = List.of(400, 401, 404, 409, 410, 422);
            List<Integer> again = List.of(302, 408, 425, 429, 500, 503);
            List<Long> failed = fatal.stream()
                    .map(status -> worked.http(payload("/" + status, "")))
                    .toList();
            List<Long> retrying = again.stream()
                    .map(status -> worked.http(payload("/" + status, "")))
                    .toList();
            for (int i = 0; i < fatal.size(); i++)
                assertThat(worked.await(failed.get(i), "failed")).contains(" answered " + fatal.get(i) + ": no");
            for (int i = 0; i < again.size(); i++)
                assertThat(worked.await(retrying.get(i), "retrying")).contains(" answered " + again.get(i));
            assertThat(worked.await(retrying.get(0), "retrying"))
                    .contains("302, which is to go to http://169.254.169.254/latest; redirects are not followed");
            long later = worked.http(payload("/429/again/3600", ""));
            worked.await(later, "retrying");
            long never = worked.http(payload("/503/again/999999999", ""));
            worked.await(never, "retrying");
            assertThat(database.value(
                            "SELECT string_agg(round(extract(epoch FROM run_at - now()) / 3600)::text, ' ' ORDER BY id)"
                                    + " FROM howdah_internal.job WHERE id IN (" + later + ", " + never + ")"))
                    .isEqualTo("1 24");
            String endless = worked.await(worked.http(payload("/400/endless", "")), "failed");
            assertThat(endless).hasSizeLessThan(1_100).endsWith("...");
            assertThat(worked.await(worked.http(payload("/200/endless", "")), "done"))
                    .isEqualTo("{\"status\": 200}");
            assertThat(seen).extracting(Seen::path).doesNotContain("/latest");
        }
    }

    @Test
    void server_thatDoesNotAnswer_isGivenUpInTime() throws Exception {
        try (WorkedJobs worked = worked("http-timeout", "1")) {
            assertThat(worked.await(worked.http(payload("/slow", "")), "retrying"))
                    .isEqualTo(address + "/slow has not answered within 1 s");
        }
    }

    @Test
    void address_notAllowed_failsForGoodAndNothingIsSent() throws Exception {
        List<String> wrong = List.of(
                "{\"url\": \"http://127.0.0.1:1/x\"}",
                "no request may go to http://127.0.0.1:1: --http-allow has " + address,
                "{\"url\": \"" + address.replace("127.0.0.1", "localhost") + "/200\"}",
                "no request may go to http://localhost",
                "{\"url\": \"" + address.replace("http:", "https:") + "/200\"}",
                "no request may go to https://127.0.0.1",
                "{\"url\": \"" + address.replace("//", "//me:hidden@") + "/200\"}",
                "has a user or a password in it",
                "{\"url\": \"file:///etc/passwd\"}",
                "no address of http or https",
                "{\"url\": \"http://127.0.0.1@evil.example/\"}",
                "has a user or a password in it",
                "{\"url\": \"ht tp://x\"}",
                "\"url\" is none",
                "{\"url\": \"/200\"}",
                "no address of http or https",
                "{\"body\": 1}",
                "needs \"url\", a text",
                payload("/200", ", \"headers\": {\"Host\": \"evil.example\"}"),
                "the header Host is not yours to say",
                payload("/200", ", \"headers\": {\"webhook-id\": \"1\"}"),
                "the header webhook-id is not yours to say",
                payload("/200", ", \"headers\": {\"a b\": \"1\"}"),
                "\"a b\" is no name of a header",
                payload("/200", ", \"headers\": {\"x\": \"a\\r\\nHost: evil\"}"),
                "has characters that none may have",
                payload("/200", ", \"headers\": {\"x\": 1}"),
                "\"x\" in \"headers\" has to be a text, not 1",
                payload("/200", ", \"method\": \"GET\""),
                "unknown key \"method\"");
        try (WorkedJobs worked = worked()) {
            List<Long> ids = new ArrayList<>();
            for (int i = 0; i < wrong.size(); i += 2) ids.add(worked.http(wrong.get(i)));
            for (int i = 0; i < wrong.size(); i += 2)
                assertThat(worked.await(ids.get(i / 2), "failed"))
                        .as(wrong.get(i))
                        .contains(wrong.get(i + 1))
                        .doesNotContain("hidden");
            assertThat(seen).isEmpty();
        }
        try (Socket closed = new Socket()) {
            // Has a port, so that no other program listens there, and does not listen.
            closed.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            String nowhere = "127.0.0.1:" + closed.getLocalPort();
            try (WorkedJobs worked = WorkedJobs.in(
                    database,
                    "queues",
                    "q",
                    "http-allow",
                    "http://" + nowhere,
                    "http-secret",
                    WorkedJobs.secret(home, SECRET).toString())) {
                assertThat(worked.await(worked.http("{\"url\": \"http://" + nowhere + "/?key=hidden\"}"), "retrying"))
                        .startsWith("http://" + nowhere + "/ cannot be reached: connection refused by " + nowhere)
                        .doesNotContain("hidden");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "queues=q|--queues says nothing of what their jobs may do: --sql-role ROLE",
                "sql-role=app|--sql-role without --queues",
                "queues=q,http-allow=https://a.example|--http-allow needs --http-secret FILE",
                "queues=q,http-secret=SECRET,http-allow=ftp://a.example|\"ftp://a.example\" has to be https://HOST",
                "queues=q,http-secret=SECRET,http-allow=https://a.example/x|has to be https://HOST",
                "queues=q,http-secret=SECRET,http-allow=a.example|has to be https://HOST",
                "queues=q,http-secret=OPEN,http-allow=https://a.example|can be read or written by other users: chmod 600",
                "queues=q,http-secret=SHORT,http-allow=https://a.example|it needs 16 or more",
                "queues=q,http-secret=BASE,http-allow=https://a.example|is not base64",
                "queues=q,http-secret=/nowhere/secret,http-allow=https://a.example|cannot read /nowhere/secret: there is no such file",
            })
    void settings_thatMakeNoSense_areRefusedInOneLine(String example) throws Exception {
        Files.createDirectory(home.resolve("files"));
        String settings = example.substring(0, example.indexOf('|'));
        String[] words = settings.replace(
                        "SECRET", WorkedJobs.secret(home, SECRET).toString())
                .replace("OPEN", file("open", SECRET, "rw-r-----"))
                .replace("SHORT", file("short", "x", "rw-------"))
                .replace("BASE", file("base", "whsec_%%%", "rw-------"))
                .split("[=,]");
        assertThatThrownBy(() -> JobPlan.of(WorkedJobs.configuration(words)))
                .isInstanceOf(CliException.class)
                .hasMessageContaining(example.substring(example.indexOf('|') + 1))
                .message()
                .doesNotContain(SECRET, "\n");
    }

    private String file(String name, String text, String rights) throws IOException {
        Path file = Files.writeString(home.resolve("files").resolve(name), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(rights));
        return file.toString();
    }

    @Test
    void signature_ofStandardWebhooks_isTheOneOfItsSpecification() throws Exception {
        Signer signer = Signer.of("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        assertThat(signer.signature(
                        "msg_p5jXN8AQM9LWM0D4loKWxJek",
                        1614265330,
                        "{\"test\": 2432232314}".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }
}
