package dev.howdah.examples.billing;

import static org.assertj.core.api.Assertions.assertThat;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import com.sun.net.httpserver.HttpExchange;
import dev.howdah.fixtures.ChildJvm;
import dev.howdah.fixtures.HttpPlace;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeMultipart;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.text.PDFTextStripper;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.apache.sshd.common.keyprovider.KeyPairProvider;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.command.AbstractCommandSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The billing, with servers that receive, while its daemon is killed. {@code -Dcustomers=1000 -Dkills=10} is the long form (128 s on two
 * processors with a load of 5); {@code -Dinvoice=FILE} keeps the first invoice.
 */
@PostgresTest
@Tag("long")
class BillingTest {
    static {
        // The mail server reports the end of a connection as an uncaught exception of one of its threads.
        Awaitility.doNotCatchUncaughtExceptionsByDefault();
    }

    private static final int CUSTOMERS = Integer.getInteger("customers", 20);
    private static final int KILLS = Integer.getInteger("kills", 2);

    private final TestDatabase database;
    private final GreenMail mails = new GreenMail(new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
    private final SshServer router = SshServer.setUpDefaultServer();
    private final AtomicInteger unavailable = new AtomicInteger(5);
    private final HttpPlace gateway = new HttpPlace(this::confirm);
    private final Set<String> ports = ConcurrentHashMap.newKeySet();

    @TempDir
    Path directory;

    BillingTest(TestDatabase database) throws IOException {
        this.database = database;
    }

    /** Is away for the first requests. */
    private void confirm(HttpExchange exchange, HttpPlace.Seen request) throws IOException {
        boolean away = unavailable.getAndDecrement() > 0;
        if (away) exchange.getResponseHeaders().add("Retry-After", "1");
        exchange.sendResponseHeaders(away ? 503 : 204, -1);
    }

    @BeforeEach
    void serve() throws Exception {
        mails.start();
        router.setHost("127.0.0.1");
        router.setPort(0);
        java.security.KeyPairGenerator keys = java.security.KeyPairGenerator.getInstance("EC");
        keys.initialize(256);
        java.security.KeyPair key = keys.generateKeyPair();
        router.setKeyPairProvider(KeyPairProvider.wrap(key));
        router.setPasswordAuthenticator((user, password, session) -> password.equals("s3cr3t-net"));
        router.setCommandFactory((channel, command) -> new AbstractCommandSupport(command, null) {
            @Override
            public void run() {
                ports.add(getCommand());
                onExit(0);
            }
        });
        router.start();
        Files.writeString(directory.resolve("net"), "s3cr3t-net");
        Files.setPosixFilePermissions(directory.resolve("net"), PosixFilePermissions.fromString("rw-------"));
        Files.writeString(
                directory.resolve("known_hosts"),
                "[127.0.0.1]:" + router.getPort() + " " + PublicKeyEntry.toString(key.getPublic()));
        Files.writeString(directory.resolve("reach.json"), """
                {"senders": ["billing@telco.example"],
                 "credentials": {"net": {"kind": "login", "user": "net", "file": "net", "for": "ssh://127.0.0.1:*"}}}
                """);
        for (String each : List.of(
                "pg_task.functions = on",
                "pg_task.mail = 'smtp://127.0.0.1:" + mails.getSmtp().getPort() + "?tls=none'",
                "billing.gateway = '" + gateway.address() + "/confirm'",
                "billing.router = 'ssh://127.0.0.1:" + router.getPort() + "'"))
            database.execute("ALTER DATABASE " + database.name() + " SET " + each);
    }

    @AfterEach
    void close() throws IOException {
        mails.stop();
        router.stop(true);
        gateway.close();
    }

    private ChildJvm daemon() {
        ChildJvm daemon = ChildJvm.start(
                BillingDaemon.class,
                List.of("-Xmx256m"),
                database.uri(),
                directory.resolve("reach.json").toString(),
                gateway.address(),
                "smtp://127.0.0.1:*",
                "ssh://127.0.0.1:*");
        Collection<String> lines = daemon.lines();
        await(() -> lines.contains("serves"));
        return daemon;
    }

    private void await(java.util.concurrent.Callable<Boolean> condition) {
        try {
            Awaitility.await()
                    .atMost(Duration.ofMinutes(5))
                    .pollInterval(Duration.ofMillis(20))
                    .until(condition);
        } catch (org.awaitility.core.ConditionTimeoutException e) {
            throw new AssertionError(
                    database.value("SELECT string_agg(s, E'\\n') FROM (SELECT DISTINCT concat_ws(' ', state,"
                            + " split_part(remote, ':', 1), left(input, 40), error) s FROM task LIMIT 50) t"),
                    e);
        }
    }

    private int count(String from) {
        return Integer.parseInt(database.value("SELECT count(*) FROM " + from));
    }

    @Test
    void eachCustomer_hasOneInvoiceOneMailAndTheLine_thoughTheDaemonIsKilled() throws Exception {
        ChildJvm daemon = daemon();
        try {
            try (InputStream sql = BillingDaemon.class.getResourceAsStream("billing.sql")) {
                database.execute(new String(Objects.requireNonNull(sql).readAllBytes(), StandardCharsets.UTF_8));
            }
            database.execute("INSERT INTO billing.customer (id, name, email, port) SELECT i, 'Клиент ' || i || ' <№>',"
                    + " 'c' || i || '@example.com', 'Gi0/' || i FROM generate_series(1, " + CUSTOMERS + ") i");
            database.execute("INSERT INTO billing.charge SELECT id, w, 19.90 + id FROM billing.customer,"
                    + " unnest('{Телефон,Интернет}'::text[]) w");
            String pay = "INSERT INTO billing.payment (external, customer, amount)"
                    + " SELECT 'pay-' || id, id, 2 * (19.90 + id) FROM billing.customer ON CONFLICT DO NOTHING";
            database.execute(pay);
            for (int i = 1; i <= KILLS; i++) {
                int some = CUSTOMERS * i / (KILLS + 2);
                await(() -> mails.getReceivedMessages().length >= some);
                daemon.kill();
                database.execute(pay); // the client sends its payments once more
                daemon = daemon();
            }
            await(() -> count("task WHERE state IN ('PLAN', 'TAKE', 'WORK')") == 0);
        } finally {
            daemon.close();
        }
        assertThat(count("task WHERE state <> 'DONE' AND NOT (state = 'FAIL' AND remote LIKE 'http%')"))
                .as(() -> database.value("SELECT string_agg(DISTINCT error, E'\\n') FROM task WHERE state <> 'DONE'"))
                .isZero();
        assertThat(database.value("SELECT concat_ws(' ', count(*), count(DISTINCT customer), min(number), max(number))"
                        + " FROM billing.invoice"))
                .isEqualTo(CUSTOMERS + " " + CUSTOMERS + " 1 " + CUSTOMERS);
        assertThat(count("billing.customer WHERE wanted AND balance = 0")).isEqualTo(CUSTOMERS);
        assertThat(count("howdah.document")).isEqualTo(CUSTOMERS);
        assertThat(ports).hasSize(CUSTOMERS).contains("port 'Gi0/1' 'up'");
        Set<String> confirmed = new TreeSet<>();
        gateway.seen().forEach(each -> confirmed.add(each.headers().getFirst("Idempotency-Key") + each.body()));
        assertThat(confirmed).hasSize(CUSTOMERS).contains("pay-1{\"payment\": \"pay-1\"}");
        mailsAreTheSame();
    }

    /** At least one for each customer, and never two different ones. */
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
        assertThat(seen).hasSize(CUSTOMERS);
    }

    private static void holdsOnly(String customer, byte[] pdf) throws IOException {
        try (PDDocument document = Loader.loadPDF(pdf)) {
            assertThat(document.getNumberOfPages()).isEqualTo(1);
            String text = new PDFTextStripper().getText(document);
            assertThat(text)
                    .contains("Счёт №", "Клиент " + customer + " <№>", "Порт Gi0/" + customer, "Итого", "1 / 1");
            assertThat(text.split("Клиент", -1)).hasSize(2);
        }
        String file = System.getProperty("invoice");
        if (file != null && customer.equals("1")) Files.write(Path.of(file), pdf);
    }
}
