package dev.howdah.examples.billing;

import static org.assertj.core.api.Assertions.assertThat;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import com.sun.net.httpserver.HttpExchange;
import dev.howdah.Database;
import dev.howdah.fixtures.ChildJvm;
import dev.howdah.fixtures.HttpPlace;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.task.TaskQuery;
import dev.howdah.task.TaskState;
import dev.howdah.task.TaskTable;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeMultipart;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.text.PDFTextStripper;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The billing, with servers that receive, refuse and are slow, while its daemon and its database are killed, and a router has another
 * key. {@code -Dcustomers=1000 -Dkills=10} is the
 * long form; {@code -Dinvoice=FILE} keeps the first invoice.
 */
@Tag("long")
class BillingTest {
    static {
        // The mail server reports the end of a connection as an uncaught exception of one of its threads.
        Awaitility.doNotCatchUncaughtExceptionsByDefault();
    }

    private static final int CUSTOMERS = Integer.getInteger("customers", 40);
    private static final int KILLS = Integer.getInteger("kills", 2);
    private static final int PORTS = 20;
    private static final Duration AWAY = Duration.ofSeconds(KILLS > 2 ? 20 : 5);

    /** One that is killed: what is committed has to be written by then. */
    private final TestServer server = TestServer.with(Map.of("synchronous_commit", "on"));

    private final TestDatabase database = TestDatabase.create(server);
    private final GreenMail mails = new GreenMail(new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
    private final TestRouters routers = new TestRouters((CUSTOMERS + PORTS - 1) / PORTS);
    private final AtomicReference<Instant> awayUntil = new AtomicReference<>();
    private final HttpPlace gateway = new HttpPlace(this::confirm);
    private final Map<String, AtomicInteger> refusals = new ConcurrentHashMap<>();
    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir
    Path directory;

    BillingTest() throws IOException {}

    /** Is away for a time from the first request on. */
    private void confirm(HttpExchange exchange, HttpPlace.Seen request) throws IOException {
        Instant now = Instant.now();
        awayUntil.compareAndSet(null, now.plus(AWAY));
        boolean away = now.isBefore(awayUntil.get());
        if (away) exchange.getResponseHeaders().add("Retry-After", "1");
        exchange.sendResponseHeaders(away ? 503 : 204, -1);
    }

    /** An address in 25 does not exist, and one in ten is refused twice for now. */
    private @Nullable String refusal(String address) {
        int customer = Integer.parseInt(address.replaceAll("\\D", ""));
        if (isUnknown(customer)) return "550 5.1.1 no such user";
        boolean busy = customer % 10 == 3
                && refusals.computeIfAbsent(address, key -> new AtomicInteger()).incrementAndGet() <= 2;
        return busy ? "451 4.2.1 try again later" : null;
    }

    private static boolean isUnknown(int customer) {
        return customer % 25 == 7;
    }

    private static List<Integer> customers(boolean unknown) {
        return IntStream.rangeClosed(1, CUSTOMERS)
                .boxed()
                .filter(each -> isUnknown(each) == unknown)
                .toList();
    }

    @BeforeEach
    void serve() throws Exception {
        mails.start();
        routers.start();
        Files.writeString(directory.resolve("net"), "s3cr3t-net");
        Files.setPosixFilePermissions(directory.resolve("net"), PosixFilePermissions.fromString("rw-------"));
        Files.writeString(directory.resolve("known_hosts"), routers.knownHosts());
        Files.writeString(directory.resolve("reach.json"), """
                {"senders": ["billing@telco.example"],
                 "credentials": {"net": {"kind": "login", "user": "net", "file": "net", "for": ["%s"]}}}
                """.formatted(String.join("\", \"", routers.addresses())));
    }

    @AfterEach
    void close() throws IOException {
        mails.stop();
        routers.close();
        gateway.close();
    }

    private ChildJvm daemon(RefusingMailProxy mailServer) {
        List<String> arguments = new java.util.ArrayList<>(List.of(
                database.uri(),
                directory.resolve("reach.json").toString(),
                gateway.address(),
                "smtp://127.0.0.1:" + mailServer.port()));
        arguments.addAll(routers.addresses());
        ChildJvm daemon = ChildJvm.start(BillingDaemon.class, List.of("-Xmx256m"), arguments.toArray(String[]::new));
        Collection<String> lines = daemon.lines();
        await(() -> lines.contains("serves"));
        return daemon;
    }

    private void await(java.util.concurrent.Callable<Boolean> condition) {
        try {
            Awaitility.await()
                    .atMost(Patience.LIMIT)
                    .pollInterval(Duration.ofMillis(20))
                    .until(condition);
        } catch (org.awaitility.core.ConditionTimeoutException e) {
            throw new AssertionError(
                    database.value("SELECT string_agg(s, E'\\n') FROM (SELECT DISTINCT concat_ws(' ', state,"
                            + " split_part(remote, ':', 1), left(input, 40), error) s FROM task LIMIT 50) t"),
                    e);
        }
    }

    private String text(String sql) {
        return String.valueOf(database.value(sql));
    }

    private int count(String from) {
        return Integer.parseInt(text("SELECT count(*) FROM " + from));
    }

    /** The tables, the customers, and a role that takes payments and may do nothing else. */
    private PGSimpleDataSource prepare(RefusingMailProxy mailServer) throws IOException {
        for (String each : List.of(
                "pg_task.functions = on",
                "pg_task.mail = 'smtp://127.0.0.1:" + mailServer.port() + "?tls=none'",
                "billing.gateway = '" + gateway.address() + "/confirm'"))
            database.execute("ALTER DATABASE " + database.name() + " SET " + each);
        return new PGSimpleDataSource();
    }

    private void fill(PGSimpleDataSource cashier) throws IOException {
        try (InputStream sql = BillingDaemon.class.getResourceAsStream("billing.sql")) {
            database.execute(new String(Objects.requireNonNull(sql).readAllBytes(), StandardCharsets.UTF_8));
        }
        database.execute("INSERT INTO billing.customer (id, name, email, router, port)"
                + " SELECT i, 'Клиент ' || i || ' <№>', 'c' || i || '@example.com',"
                + " (ARRAY['" + String.join("', '", routers.addresses()) + "'])[(i - 1) / " + PORTS + " + 1],"
                + " 'Gi0/' || (i - 1) % " + PORTS + " + 1 FROM generate_series(1, " + CUSTOMERS + ") i");
        database.execute("INSERT INTO billing.charge SELECT id, w, 19.90 + id FROM billing.customer,"
                + " unnest('{Телефон,Интернет}'::text[]) w");
        String role = "cashier_" + database.name();
        database.execute("CREATE ROLE " + role + " LOGIN; GRANT USAGE ON SCHEMA billing TO " + role
                + "; GRANT INSERT, SELECT ON billing.payment TO " + role
                + "; GRANT EXECUTE ON FUNCTION billing.settle TO " + role
                + "; GRANT INSERT, SELECT ON task TO " + role + "; GRANT USAGE ON SEQUENCE task_id_seq TO " + role);
        cashier.setURL("jdbc:" + database.uri().replace("postgres@", ""));
        cashier.setUser(role);
    }

    /** Each customer pays in two parts, which arrive together. */
    private void pay(URI payments, int batch) {
        List<CompletableFuture<Integer>> all = IntStream.rangeClosed(1, CUSTOMERS)
                .filter(each -> each % (KILLS + 1) == batch)
                .boxed()
                .flatMap(each -> IntStream.of(1, 2).mapToObj(part -> {
                    String json = "{\"external\": \"pay-%d-%d\", \"customer\": %d, \"amount\": %d.90}"
                            .formatted(each, part, each, 19 + each);
                    return send(payments, json);
                }))
                .toList();
        assertThat(all).allSatisfy(each -> assertThat(each.join()).isBetween(200, 201));
    }

    private CompletableFuture<Integer> send(URI payments, String json) {
        HttpRequest request = HttpRequest.newBuilder(payments)
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build();
        return client.sendAsync(request, HttpResponse.BodyHandlers.discarding()).thenApply(HttpResponse::statusCode);
    }

    @Test
    void eachCustomer_hasOneInvoiceOneMailAndTheLine_thoughTheDaemonIsKilled() throws Exception {
        try (RefusingMailProxy mailServer =
                new RefusingMailProxy(mails.getSmtp().getPort(), this::refusal)) {
            PGSimpleDataSource cashier = prepare(mailServer);
            ChildJvm daemon = daemon(mailServer);
            fill(cashier);
            try (PaymentEndpoint payments = new PaymentEndpoint(cashier)) {
                int expected = 0;
                for (int batch = 0; batch < KILLS; batch++) {
                    pay(payments.address(), batch);
                    int now = batch;
                    int mailed = (int) customers(false).stream()
                            .filter(each -> each % (KILLS + 1) == now)
                            .count();
                    int some = expected + mailed / 2;
                    expected += mailed;
                    await(() -> mails.getReceivedMessages().length >= some);
                    assertThat(daemon.log()).doesNotContain("s3cr3t");
                    daemon.kill();
                    pay(payments.address(), batch); // the client has had no answer, and sends its payments once more
                    daemon = daemon(mailServer);
                }
                routers.changeKey();
                pay(payments.address(), KILLS);
                int some = expected + 1;
                await(() -> mails.getReceivedMessages().length >= some);
                server.crash();
                pay(payments.address(), KILLS); // as above
                refused(payments.address());
                keyIsMended();
                await(() -> count("task WHERE state IN ('PLAN', 'TAKE', 'WORK')") == 0);
                assertThat(daemon.log()).doesNotContain("s3cr3t");
            } finally {
                daemon.close();
            }
        }
        booksAreRight();
        assertThat(routers.states())
                .hasSize(CUSTOMERS)
                .allSatisfy((port, state) -> assertThat(state).isEqualTo("up"));
        Set<String> confirmed = new TreeSet<>();
        gateway.seen().forEach(each -> confirmed.add(each.headers().getFirst("Idempotency-Key") + each.body()));
        assertThat(confirmed).hasSize(2 * CUSTOMERS).contains("pay-1-1{\"amount\": 20.90, \"payment\": \"pay-1-1\"}");
        mailsAreTheSame();
        System.out.println(report());
    }

    /** Nothing is sent to a router that has another key, until its key is known and the commands are tried again. */
    private void keyIsMended() throws IOException {
        String waiting = "task WHERE state IN ('PLAN', 'TAKE', 'WORK')";
        await(() -> count(waiting) == 0);
        String failed = "state = 'FAIL' AND error LIKE '%is not trusted%its key has changed; its key is SHA256:%'";
        // Commands for payments from before may have waited until the key changed.
        assertThat(count("task WHERE remote LIKE 'ssh:%' AND " + failed))
                .isGreaterThanOrEqualTo(
                        count("billing.customer WHERE id % " + (KILLS + 1) + " = " + KILLS + " AND router = '"
                                + routers.addresses().get(routers.addresses().size() - 1) + "'"))
                .isPositive();
        assertThat(routers.hasLogin()).isFalse();
        Files.writeString(directory.resolve("known_hosts"), routers.knownHosts());
        TaskTable tasks = TaskTable.on(Database.of(database.uri(), Map.of()), "public", "task");
        assertThat(tasks.retryAll(TaskQuery.in(TaskState.FAIL).error("its key has changed")))
                .isPositive();
    }

    /** What is no payment, or of no customer, changes nothing. */
    private void refused(URI payments) {
        assertThat(send(payments, "{\"external\": \"pay-x\", \"customer\": 0, \"amount\": 1}")
                        .join())
                .isEqualTo(404);
        for (String each : List.of(
                "{",
                "{}",
                "[]",
                "{\"external\": \"pay-x\", \"customer\": 1, \"amount\": -1}",
                "{\"external\": \"pay-x\", \"customer\": \"1); DROP TABLE billing.payment\", \"amount\": 1}"))
            assertThat(send(payments, each).join()).as(each).isEqualTo(400);
    }

    private void booksAreRight() {
        assertThat(database.value(
                        "SELECT string_agg(DISTINCT concat_ws(' ', split_part(remote, ':', 1), error), E'\\n')"
                                + " FROM task WHERE state <> 'DONE' AND retry IS NULL"))
                .isEqualTo("smtp ERROR:  "
                        + text("SELECT current_setting('pg_task.mail')").replace("?tls=none", "")
                        + " refused a recipient\nDETAIL:  550 5.1.1 no such user");
        assertThat(database.query(
                        "SELECT i.customer::text FROM billing.letter JOIN billing.invoice i ON number = invoice"
                                + " ORDER BY i.customer"))
                .isEqualTo(customers(true).stream()
                        .map(each -> List.of(each.toString()))
                        .toList());
        assertThat(database.value("SELECT concat_ws(' ', count(*), count(DISTINCT customer), min(number), max(number))"
                        + " FROM billing.invoice"))
                .isEqualTo(CUSTOMERS + " " + CUSTOMERS + " 1 " + CUSTOMERS);
        assertThat(count("billing.customer WHERE wanted AND balance = 0")).isEqualTo(CUSTOMERS);
        assertThat(count("billing.payment WHERE settled")).isEqualTo(2 * CUSTOMERS);
        assertThat(count("howdah.document")).isEqualTo(CUSTOMERS);
        assertThat(count("task WHERE input LIKE 'INSERT INTO billing.letter%'"))
                .isEqualTo(customers(true).size());
        assertThat(count("task WHERE strpos(task::text, 's3cr3t') > 0")).isZero();
    }

    private String report() {
        return text("SELECT format('%s customers, %s kills: %s tasks, %s tried again; %s mails, %s commands',"
                + CUSTOMERS + ", " + KILLS + ", count(*), count(retry), " + mails.getReceivedMessages().length + ", "
                + routers.commands() + ") FROM task");
    }

    /** At least one for each customer whose address exists, and never two different ones. */
    private void mailsAreTheSame() throws Exception {
        Map<String, String> seen = new HashMap<>();
        for (MimeMessage each : mails.getReceivedMessages()) {
            byte[] pdf = ((MimeMultipart) each.getContent())
                    .getBodyPart(1)
                    .getInputStream()
                    .readAllBytes();
            String to = each.getAllRecipients()[0].toString();
            String what = each.getMessageID() + " " + each.getSubject() + " "
                    + HexFormat.of()
                            .formatHex(java.security.MessageDigest.getInstance("SHA-256")
                                    .digest(pdf));
            String before = seen.put(to, what);
            if (before != null) assertThat(what).isEqualTo(before);
            else holdsOnly(to.replaceAll("\\D", ""), pdf);
        }
        assertThat(seen.keySet())
                .isEqualTo(customers(false).stream()
                        .map(each -> "c" + each + "@example.com")
                        .collect(java.util.stream.Collectors.toSet()));
    }

    private static void holdsOnly(String customer, byte[] pdf) throws IOException {
        try (PDDocument document = Loader.loadPDF(pdf)) {
            assertThat(document.getNumberOfPages()).isEqualTo(1);
            String text = new PDFTextStripper().getText(document);
            int port = (Integer.parseInt(customer) - 1) % PORTS + 1;
            assertThat(text).contains("Счёт №", "Клиент " + customer + " <№>", "Порт Gi0/" + port, "Итого", "1 / 1");
            assertThat(text.split("Клиент", -1)).hasSize(2);
        }
        String file = System.getProperty("invoice");
        if (file != null && customer.equals("1")) Files.write(Path.of(file), pdf);
    }
}
