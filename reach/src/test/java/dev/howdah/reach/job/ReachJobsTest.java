package dev.howdah.reach.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import com.sun.net.httpserver.HttpExchange;
import dev.howdah.fixtures.HttpPlace;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.reach.ReachSettings;
import dev.howdah.reach.RefusingMailServer;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.spi.reach.ReachDocument;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeMultipart;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.Base64;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.text.PDFTextStripper;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.apache.sshd.common.keyprovider.KeyPairProvider;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.shell.ProcessShellCommandFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** Jobs that reach out, with a server of each kind. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReachJobsTest {
    private static final Duration PATIENCE = Patience.LIMIT;
    private static final Kind<Integer> INVOICE = Kind.of("invoice", Integer.class);

    private static final String HOOK = "whsec_"
            + Base64.getEncoder().encodeToString("0123456789abcdef01234567".getBytes(StandardCharsets.US_ASCII));

    private final TestDatabase database;
    private final AtomicInteger busy = new AtomicInteger();
    private final AtomicInteger forms = new AtomicInteger();
    private final AtomicInteger left = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final HttpPlace place = new HttpPlace(this::answer);
    private final GreenMail mails = new GreenMail(new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
    private final SshServer hosts = SshServer.setUpDefaultServer();
    private final Queue<ReachDocument> documents = new ConcurrentLinkedQueue<>();
    private ReachJobs reach;
    private Jobs jobs;

    ReachJobsTest(TestDatabase database) throws IOException {
        this.database = database;
    }

    @BeforeAll
    void serve(@TempDir Path directory) throws Exception {
        mails.getSmtp().getServerSetup().setServerStartupTimeout(60_000);
        mails.start();
        KeyPair key = KeyPairGenerator.getInstance("RSA").generateKeyPair();
        hosts.setHost("127.0.0.1");
        hosts.setKeyPairProvider(KeyPairProvider.wrap(key));
        hosts.setPasswordAuthenticator(
                (user, password, session) -> user.equals("switch") && password.equals("s3cr3t-login"));
        hosts.setCommandFactory(ProcessShellCommandFactory.INSTANCE);
        hosts.start();
        secret(directory.resolve("login"), "s3cr3t-login");
        secret(directory.resolve("token"), "s3cr3t-token");
        secret(directory.resolve("hook"), HOOK);
        Files.writeString(
                directory.resolve("known_hosts"),
                "[127.0.0.1]:" + hosts.getPort() + " " + PublicKeyEntry.toString(key.getPublic()) + "\n");
        Path file = Files.writeString(directory.resolve("reach.json"), """
                {"senders": ["*@telco.example=billing"], "limits": {"%1$s/slow": {"concurrency": 1}}, "credentials": {
                  "hooks": {"kind": "webhook", "file": "hook", "for": "%1$s/*=billing"},
                  "own": {"kind": "hmac", "header": "X-Signature", "prefix": "sha256=", "file": "hook", "for": "%1$s/*=billing"},
                  "shop": {"kind": "bearer", "file": "token", "for": "%1$s/*=billing"},
                  "net": {"kind": "login", "user": "switch", "file": "login", "for": "ssh://127.0.0.1:*=billing"}}}
                """.formatted(place.address()));
        ReachSettings settings = ReachSettings.of(
                List.of(place.address() + "/*=billing", "smtp://127.0.0.1:*=billing", "ssh://127.0.0.1:*=billing"),
                file,
                Map.of());
        reach = ReachJobs.of(
                settings,
                "billing",
                Templates.of(Map.of(
                        "invoice", "<h1>Счёт № {{number}}</h1><p>{{name}}: {{total}}</p>",
                        "bill.subject", "Счёт № {{number}}",
                        "bill.text", "to pay: {{total}}")));
        RetryPolicy soon = RetryPolicy.after(Duration.ofMillis(10), Duration.ofMillis(10));
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(
                "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres");
        jobs = Jobs.on(source)
                .handle(HttpJob.KIND, reach.http(), options -> options.retries(ReachJobs.patient(soon)))
                .handle(MailJob.KIND, reach.mail(), options -> options.retries(soon))
                .handle(SshJob.KIND, reach.ssh())
                .handle(PdfJob.KIND, reach.pdf((document, job) -> documents.add(document)))
                .handle(INVOICE, (number, job) -> {
                    ReachDocument pdf = reach.render(PdfJob.of("invoice", data(number)), job);
                    MailJob mail = mail("ann@example.com")
                            .template("bill", data(number))
                            .attach(pdf.name(), pdf.type(), pdf.bytes())
                            .key("invoice")
                            .build();
                    reach.send(mail, job);
                })
                .start();
    }

    private static void secret(Path file, String text) throws IOException {
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private static String data(int number) {
        return "{\"number\": " + number + ", \"name\": \"Ян <b>\", \"total\": 19.90}";
    }

    @AfterAll
    void close() throws IOException {
        jobs.close();
        reach.close();
        mails.stop();
        hosts.stop(true);
        place.close();
    }

    private void answer(HttpExchange exchange, HttpPlace.Seen request) throws IOException, InterruptedException {
        switch (request.path()) {
            case "/busy" -> {
                if (busy.incrementAndGet() == 1) exchange.getResponseHeaders().add("Retry-After", "1");
                say(exchange, busy.get() == 1 ? 503 : 200, "done");
            }
            case "/busy-form" -> say(exchange, forms.incrementAndGet() == 1 ? 503 : 200, "done");
            case "/secret" ->
                say(exchange, 200, String.valueOf(request.headers().getFirst("Authorization")));
            case "/no" -> say(exchange, 402, "no money");
            case "/large" -> say(exchange, 200, "x".repeat(100_000));
            case "/slow" -> {
                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                place.over().await(20, TimeUnit.MILLISECONDS);
                running.decrementAndGet();
                say(exchange, 200, "");
            }
            case "/hang" -> {
                exchange.sendResponseHeaders(200, 0);
                try {
                    while (!place.over().await(50, TimeUnit.MILLISECONDS)) {
                        exchange.getResponseBody().write('x');
                        exchange.getResponseBody().flush();
                    }
                } catch (IOException e) {
                    left.incrementAndGet();
                }
            }
            default -> {
                exchange.getResponseHeaders().add("X-Seen", "yes");
                say(exchange, 201, exchange.getRequestMethod() + " " + request.body());
            }
        }
    }

    private static void say(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private HttpJob post(String path) {
        return HttpJob.post(place.address() + path, "{\"a\": \"я\"}");
    }

    private MailJob.Builder mail(String... to) {
        return MailJob.builder("smtp://127.0.0.1:" + mails.getSmtp().getPort(), "billing@telco.example", to)
                .withoutTls();
    }

    private String host() {
        return "ssh://switch@127.0.0.1:" + hosts.getPort();
    }

    private <T> JobSummary end(Kind<T> kind, T payload) throws Exception {
        return jobs.await(jobs.add(kind, payload), PATIENCE);
    }

    /** The error of a job that fails for good with its first attempt. */
    private <T> String refused(Kind<T> kind, T payload) throws Exception {
        JobSummary end = end(kind, payload);
        assertThat(end.state()).isEqualTo(JobState.FAILED);
        assertThat(end.attempt()).as(end.error()).isEqualTo(1);
        return String.valueOf(end.error());
    }

    @Test
    void request_isSentAndItsAnswerIsTheResult() throws Exception {
        JobSummary end = end(HttpJob.KIND, post("/echo?x=1").method("PATCH").header("X-Shop", "7"));
        assertThat(end.error()).isNull();
        assertThat(end.result()).contains("\"status\": 201", "\"x-seen\": [\"yes\"]", "PATCH {\\\"a\\\": \\\"я\\\"}");
        HttpPlace.Seen seen = seen("/echo").get(0);
        assertThat(seen.headers().getFirst("X-Shop")).isEqualTo("7");
        assertThat(seen.headers().getFirst("Content-Type")).isEqualTo("application/json");
        assertThat(end(HttpJob.KIND, HttpJob.get(place.address() + "/get")).result())
                .contains("\"GET \"");
        assertThat(end(HttpJob.KIND, post("/large")).result())
                .contains("\"status\": 200")
                .doesNotContain("xxx");
        assertThat(end(HttpJob.KIND, post("/secret").credential("shop").key("mine"))
                        .result())
                .contains("Bearer ***")
                .doesNotContain("s3cr3t");
        assertThat(seen("/secret").get(0).headers().getFirst("Idempotency-Key")).isEqualTo("mine");
    }

    @Test
    void form_isSentWithItsFiles_theSameInEachAttempt() throws Exception {
        HttpJob form = HttpJob.form(place.address() + "/busy-form?x=1")
                .header("X-Shop", "a&b=c")
                .field("kind", "счёт\r\n--x")
                .file("file", "invoice-17.pdf", "application/pdf", "%PDF-1".getBytes(StandardCharsets.US_ASCII));
        JobSummary end = end(HttpJob.KIND, form);
        assertThat(end.error()).isNull();
        assertThat(end.attempt()).isEqualTo(2);
        List<HttpPlace.Seen> both = seen("/busy-form");
        assertThat(both).hasSize(2);
        assertThat(both.get(0).headers().getFirst("Content-Type")).startsWith("multipart/form-data; boundary=");
        assertThat(both.get(0).headers().getFirst("X-Shop")).isEqualTo("a&b=c");
        assertThat(both.get(0).body())
                .contains(
                        "Content-Disposition: form-data; name=\"kind\"\r\n\r\nсчёт\r\n--x\r\n",
                        "name=\"file\"; filename=\"invoice-17.pdf\"\r\nContent-Type: application/pdf\r\n\r\n%PDF-1\r\n")
                .isEqualTo(both.get(1).body());
        assertThat(both.stream().map(each -> each.headers().getFirst("Idempotency-Key")))
                .hasSize(2)
                .allMatch(key -> key.equals(both.get(0).headers().getFirst("Idempotency-Key")));
        String id = database.value("SELECT id FROM howdah.add('default', 'howdah.http', '{\"url\": \"" + place.address()
                + "/sql-form\", \"key\": \"mine\", \"parts\": [{\"name\": \"a\", \"value\": \"b\"},"
                + " {\"name\": \"f\", \"bytes\": \"aGVsbG8=\"}]}')");
        assertThat(jobs.await(Long.parseLong(String.valueOf(id)), PATIENCE).error())
                .isNull();
        HttpPlace.Seen seen = seen("/sql-form").get(0);
        assertThat(seen.headers().getFirst("Idempotency-Key")).isEqualTo("mine");
        assertThat(seen.body())
                .contains("name=\"f\"; filename=\"f\"\r\nContent-Type: application/octet-stream\r\n\r\nhello\r\n");
    }

    @Test
    void form_thatIsWrong_failsForGood() throws Exception {
        HttpJob form = HttpJob.form(place.address() + "/x");
        assertThat(refused(
                        HttpJob.KIND,
                        new HttpJob(
                                place.address() + "/x",
                                "POST",
                                Map.of(),
                                "body",
                                null,
                                null,
                                null,
                                null,
                                null,
                                form.field("a", "b").parts())))
                .contains("a body or parts, not both");
        HttpJob.Part both = new HttpJob.Part("a", "b", new byte[1], null, null);
        assertThat(refused(
                        HttpJob.KIND,
                        new HttpJob(
                                place.address() + "/x", null, null, null, null, null, null, null, null, List.of(both))))
                .contains("part 1 of the form: it has a value or bytes, one of these");
        assertThat(refused(HttpJob.KIND, form.field("a\r\nX-B: c", "b"))).contains("part 1 of the form");
        assertThat(refused(HttpJob.KIND, form.file("a", "b", "text/plain\r\nX-B: c", new byte[1])))
                .contains("\"type\" has a line break");
        assertThat(refused(HttpJob.KIND, form.file("a", "b", "text", new byte[1])))
                .contains("such as application/pdf");
        assertThat(refused(HttpJob.KIND, form.field("a", "b").header("Content-Type", "text/plain")))
                .contains("multipart/form-data");
        assertThat(refused(HttpJob.KIND, form.field("a", "b").header("X-A", "x".repeat(2_000))))
                .contains("2000 characters");
        assertThat(refused(HttpJob.KIND, form.field("a", "b").header("X-A", "b\r\nX-B: c")))
                .contains("the header X-A");
        assertThat(seen("/x")).isEmpty();
    }

    @Test
    void request_isSigned_asStandardWebhooksAndInAFormOfItsOwn() throws Exception {
        assertThat(end(HttpJob.KIND, post("/hook").sign("hooks").key("n1")).error())
                .isNull();
        HttpPlace.Seen seen = seen("/hook").get(0);
        String time = String.valueOf(seen.headers().getFirst("webhook-timestamp"));
        assertThat(seen.headers().getFirst("webhook-id")).isEqualTo("n1");
        assertThat(seen.headers().getFirst("webhook-signature"))
                .isEqualTo("v1," + Base64.getEncoder().encodeToString(hmac("n1." + time + "." + seen.body())));
        assertThat(end(
                                HttpJob.KIND,
                                HttpJob.form(place.address() + "/own")
                                        .field("a", "b")
                                        .sign("own"))
                        .error())
                .isNull();
        HttpPlace.Seen own = seen("/own").get(0);
        assertThat(own.headers().getFirst("X-Signature"))
                .isEqualTo("sha256=" + HexFormat.of().formatHex(hmac(own.body())));
        assertThat(refused(HttpJob.KIND, post("/x").sign("shop"))).contains("none that signs requests");
        assertThat(refused(HttpJob.KIND, post("/x").sign("none"))).contains("there is no credential \"none\"");
    }

    private static byte[] hmac(String text) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec("0123456789abcdef01234567".getBytes(StandardCharsets.US_ASCII), "HmacSHA256"));
        return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void jobOfSql_hasThePayloadOfTheRecord() throws Exception {
        String id = database.value("SELECT id FROM howdah.add('default', 'howdah.http', '{\"url\": \"" + place.address()
                + "/sql\", \"body\": \"x\", \"headers\": {\"X-Shop\": \"7\"}, \"timeout\": 20, \"ok\": \"201\"}')");
        assertThat(jobs.await(Long.parseLong(String.valueOf(id)), PATIENCE).error())
                .isNull();
        assertThat(seen("/sql").get(0).headers().getFirst("X-Shop")).isEqualTo("7");
        id = database.value("SELECT id FROM howdah.add('default', 'howdah.mail', '{\"relay\": \"smtp://127.0.0.1:"
                + mails.getSmtp().getPort() + "\", \"from\": \"billing@telco.example\", \"to\": [\"sql@example.com\"],"
                + " \"subject\": \"by SQL\", \"text\": \"x\", \"headers\": {\"X-Shop\": \"8\"}, \"unencrypted\": true,"
                + " \"timeout\": 20, \"attachments\": [{\"name\": \"a.txt\", \"type\": \"text/plain\","
                + " \"bytes\": \"aGVsbG8=\"}]}')");
        assertThat(jobs.await(Long.parseLong(String.valueOf(id)), PATIENCE).error())
                .isNull();
        MimeMessage mail = received("by SQL");
        assertThat(mail.getHeader("X-Shop")).containsExactly("8");
        assertThat(((MimeMultipart) mail.getContent()).getBodyPart(1).getContent())
                .isEqualTo("hello");
        id = database.value("SELECT id FROM howdah.add('default', 'howdah.http', '{\"body\": \"x\"}')");
        assertThat(jobs.await(Long.parseLong(String.valueOf(id)), PATIENCE).error())
                .contains("the payload has no \"url\"");
    }

    private List<HttpPlace.Seen> seen(String path) {
        return place.seen().stream().filter(each -> each.path().equals(path)).toList();
    }

    @Test
    void busyServer_isAskedAgainWhenItSays_withTheSameKey() throws Exception {
        JobSummary end = end(HttpJob.KIND, post("/busy"));
        assertThat(end.state()).isEqualTo(JobState.DONE);
        assertThat(end.attempt()).isEqualTo(2);
        assertThat(seen("/busy").stream()
                        .map(each -> each.headers().getFirst("Idempotency-Key"))
                        .collect(Collectors.toSet()))
                .hasSize(1)
                .allMatch(key -> key.matches("howdah-job-" + end.id() + "-[0-9a-f]{24}"));
        assertThat(seen("/busy").stream().map(each -> each.headers().getFirst("Howdah-Attempt")))
                .containsExactly("1", "2");
        RetryPolicy policy = ReachJobs.patient(RetryPolicy.after(Duration.ofSeconds(2)));
        assertThat(policy.delay(1, new ReachException("later", Duration.ofHours(1))))
                .contains(Duration.ofHours(1));
        assertThat(policy.delay(1, new ReachException("later", Duration.ofSeconds(1))))
                .contains(Duration.ofSeconds(2));
        assertThat(policy.delay(2, new ReachException("later", Duration.ofHours(1))))
                .isEmpty();
    }

    @Test
    void whatWouldFailAgain_failsForGood() throws Exception {
        String at = place.address();
        assertThat(refused(HttpJob.KIND, post("/no"))).contains(at + "/no answered 402: no money");
        assertThat(refused(HttpJob.KIND, HttpJob.get("https://api.example/x")))
                .contains("role \"billing\" may not reach https://api.example/x");
        assertThat(refused(HttpJob.KIND, HttpJob.get(at + "/x#as=shop"))).contains("the url must have no #");
        assertThat(refused(HttpJob.KIND, HttpJob.get(host()))).contains("has to begin with https:// or http://");
        assertThat(refused(HttpJob.KIND, HttpJob.get("http://app:s3cret@api.example/")))
                .contains("must not contain a credential")
                .doesNotContain("s3cret");
        assertThat(refused(HttpJob.KIND, post("/x").credential("none"))).contains("there is no credential \"none\"");
        assertThat(refused(HttpJob.KIND, post("/x").header("X-A", "b\r\nX-B: c")))
                .contains("the header X-A");
        assertThat(refused(HttpJob.KIND, post("/x").header("Authorization", "Basic s3cret")))
                .contains("the header authorization")
                .doesNotContain("s3cret");
        assertThat(refused(HttpJob.KIND, post("/x").method("GET /y"))).contains("the method has to be");
        assertThat(refused(HttpJob.KIND, post("/x").key("a\nX-B: c"))).contains("the key has to be");
        assertThat(refused(HttpJob.KIND, post("/x").timeout(Duration.ZERO))).contains("longer than zero");
        assertThat(seen("/x")).isEmpty();
        assertThat(refused(
                        MailJob.KIND,
                        MailJob.builder("smtp://r?tls=none", "a@telco.example", "b@example.com")
                                .build()))
                .contains("the relay must have no ?");
        assertThat(refused(PdfJob.KIND, PdfJob.of("none", "{}"))).contains("there is no template \"none\"");
        assertThat(refused(PdfJob.KIND, PdfJob.of("invoice", "[1]"))).contains("an object of JSON");
    }

    @Test
    void cancelAndTimeout_endWhatWaits() throws Exception {
        long id = jobs.add(HttpJob.KIND, post("/hang").timeout(Duration.ofMinutes(10)));
        await().atMost(PATIENCE).until(() -> seen("/hang").size() == 1);
        jobs.admin().cancel(id);
        assertThat(jobs.await(id, PATIENCE).state()).isEqualTo(JobState.CANCELLED);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(left).as("closed connections").hasValue(1));
        JobSummary late = end(HttpJob.KIND, post("/hang").timeout(Duration.ofMillis(200)));
        assertThat(late.attempt()).isEqualTo(3);
        assertThat(late.error()).contains("was not done within 200 ms");
    }

    @Test
    void limitOfATarget_holdsForJobs() throws Exception {
        List<Long> ids = jobs.addAll(Collections.nCopies(8, NewJob.of(HttpJob.KIND, post("/slow"))));
        for (long id : ids) assertThat(jobs.await(id, PATIENCE).state()).isEqualTo(JobState.DONE);
        assertThat(most).hasValue(1);
    }

    @Test
    void mail_arrives_andARefusedRecipientIsFinal() throws Exception {
        JobSummary end = end(
                MailJob.KIND,
                mail("ann@example.com")
                        .subject("Счёт 17")
                        .text("Здравствуйте")
                        .html("<b>Здравствуйте</b>")
                        .header("X-Shop", "7")
                        .build());
        assertThat(end.error()).isNull();
        MimeMessage mail = received("Счёт 17");
        assertThat(end.result()).contains("\"answer\": \"250 ", mail.getMessageID());
        assertThat(mail.getHeader("X-Shop")).containsExactly("7");
        assertThat(refused(
                        MailJob.KIND,
                        mail("ann@example.com\nBcc: eve@example.com").text("").build()))
                .contains("the mail cannot be sent");
        try (RefusingMailServer strict =
                new RefusingMailServer(Map.of("RCPT TO:<bob@example.com>", "550 5.1.1 no such user"))) {
            MailJob bob = MailJob.builder(strict.address(), "billing@telco.example", "bob@example.com")
                    .withoutTls()
                    .text("x")
                    .build();
            assertThat(refused(MailJob.KIND, bob)).contains("refused a recipient: 550 5.1.1 no such user");
        }
        try (RefusingMailServer later = new RefusingMailServer(Map.of("DATA-END", "451 4.3.0 later"))) {
            JobSummary tried = end(
                    MailJob.KIND,
                    MailJob.builder(later.address(), "billing@telco.example", "bob@example.com")
                            .withoutTls()
                            .text("x")
                            .build());
            assertThat(tried.attempt()).isEqualTo(3);
            assertThat(later.seen().stream()
                            .filter(each -> each.startsWith("Message-ID:"))
                            .distinct())
                    .hasSize(1);
        }
    }

    private MimeMessage received(String subject) {
        return List.of(mails.getReceivedMessages()).stream()
                .filter(each -> subject(each).equals(subject))
                .findFirst()
                .orElseThrow();
    }

    private static String subject(MimeMessage mail) {
        try {
            return String.valueOf(mail.getSubject());
        } catch (jakarta.mail.MessagingException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void command_endsWithItsOutput_andIsNotTriedAgain() throws Exception {
        assertThat(end(SshJob.KIND, SshJob.of(host(), "net", "echo hello")).result())
                .isEqualTo("\"hello\\n\"");
        assertThat(refused(SshJob.KIND, SshJob.of(host(), "net", "ls /no/such/file")))
                .contains("exit code", "No such file");
        assertThat(refused(SshJob.KIND, SshJob.of(host(), "net", "x").device("enigma")))
                .contains("no device enigma");
    }

    @Test
    void documents_areMadeAndMailed() throws Exception {
        assertThat(end(PdfJob.KIND, PdfJob.of("invoice", data(16)).name("счёт.pdf"))
                        .error())
                .isNull();
        ReachDocument document = documents.remove();
        assertThat(document.name()).isEqualTo("счёт.pdf");
        assertThat(text(document.bytes())).contains("Счёт № 16", "Ян <b>: 19.90");
        assertThat(end(INVOICE, 17).error()).isNull();
        MimeMessage mail = received("Счёт № 17");
        MimeMultipart parts = (MimeMultipart) mail.getContent();
        assertThat(parts.getBodyPart(0).getContent()).isEqualTo("to pay: 19.90");
        assertThat(parts.getBodyPart(1).getFileName()).isEqualTo("invoice.pdf");
        assertThat(text(parts.getBodyPart(1).getInputStream().readAllBytes())).contains("Счёт № 17");
    }

    private static String text(byte[] pdf) throws IOException {
        try (PDDocument read = Loader.loadPDF(pdf)) {
            return new PDFTextStripper().getText(read);
        }
    }
}
