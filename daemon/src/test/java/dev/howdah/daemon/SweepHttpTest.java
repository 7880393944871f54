package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import dev.howdah.fixtures.HttpPlace;
import dev.howdah.fixtures.HttpPlace.Seen;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TcpProxy;
import dev.howdah.fixtures.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code howdah sweep --http}: a request for each row. */
@PostgresTest
@Execution(ExecutionMode.SAME_THREAD) // signals belong to the process
@Tag("long")
class SweepHttpTest {
    private static final String SECRET = "a secret of more than sixteen bytes";

    private final TestDatabase database;
    private final AtomicInteger busy = new AtomicInteger();
    private final HttpPlace place;
    private final Queue<Seen> seen;
    private final String address;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path home;

    SweepHttpTest(TestDatabase database) throws IOException {
        this.database = database;
        place = new HttpPlace(this::answer);
        seen = place.seen();
        address = place.address();
    }

    @AfterEach
    void stop() {
        place.close();
    }

    /** Row 2 gets what the path says, the others 204. */
    private void answer(HttpExchange exchange, Seen request) throws IOException, InterruptedException {
        String path = request.path().substring(1);
        if (path.equals("204")) exchange.sendResponseHeaders(204, -1);
        else if (path.startsWith("busy.") && busy.incrementAndGet() <= 2) {
            String[] parts = path.split("\\.", -1);
            if (!parts[2].isEmpty()) exchange.getResponseHeaders().set("Retry-After", parts[2]);
            exchange.sendResponseHeaders(Integer.parseInt(parts[1]), -1);
        } else if (path.startsWith("busy.")) exchange.sendResponseHeaders(204, -1);
        else if (path.startsWith("all.")) exchange.sendResponseHeaders(Integer.parseInt(path.substring(4)), -1);
        else if (!request.body().startsWith("{\"id\":2,")) exchange.sendResponseHeaders(204, -1);
        else if (path.equals("never")) place.over().await();
        else if (path.equals("endless")) {
            exchange.sendResponseHeaders(200, 0);
            byte[] some = new byte[100_000];
            while (place.over().getCount() > 0) exchange.getResponseBody().write(some);
        } else {
            exchange.getResponseHeaders().set("Location", address + "/elsewhere");
            byte[] text = "no <b>way</b>".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(Integer.parseInt(path), text.length);
            exchange.getResponseBody().write(text);
        }
    }

    private SweepRunner rows(int count) {
        return new SweepRunner(database, home).rows(count);
    }

    @Test
    void request_hasTheRow_aKeyOfItsOwn_andHeadersThatNobodySees() throws Exception {
        SweepRunner sweep = rows(3);
        Path headers = Files.writeString(home.resolve("headers"), "Authorization: Bearer geheim\n\nX-Shop: 1\n");
        Files.setPosixFilePermissions(headers, PosixFilePermissions.fromString("rw-------"));
        CommandLineRun run = sweep.run(
                Map.of("--name", "mail ing"),
                "--http",
                address + "/500?token=geheim",
                "--attempts",
                "1",
                "--header",
                "@" + headers,
                "--header",
                "x-more: 2",
                "--http-secret",
                WorkedJobs.secret(home, SECRET).toString());
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(seen).hasSize(3).allSatisfy(each -> {
            assertThat(each.headers().getFirst("Authorization")).isEqualTo("Bearer geheim");
            assertThat(each.headers().getFirst("X-Shop")).isEqualTo("1");
            assertThat(each.headers().getFirst("X-More")).isEqualTo("2");
            assertThat(each.headers().getFirst("Content-Type")).isEqualTo("application/json");
            assertThat(each.headers().getFirst("Webhook-Id"))
                    .isEqualTo(each.headers().getFirst("Idempotency-Key"));
            assertThat(each.headers().getFirst("Webhook-Signature")).startsWith("v1,");
        });
        String start = "mail+ing/"
                + database.value("SELECT to_char(started AT TIME ZONE 'UTC', 'YYYYMMDD\"T\"HH24MISS.US\"Z\"')"
                        + " FROM howdah.sweep")
                + "/";
        assertThat(seen.stream().map(each -> each.headers().getFirst("Idempotency-Key")))
                .containsExactlyInAnyOrder(start + "1", start + "2", start + "3");
        assertThat(seen.stream().map(Seen::body))
                .contains("{\"id\":1,\"email\":\"p1@example.com\",\"last_mail_at\":null}");
        assertThat(database.value("SELECT error FROM howdah.sweep_error"))
                .isEqualTo(address + "/500 answered 500: no <b>way</b>");
        assertThat(run.out() + run.err() + sweep.book("show", "mail ing").out()).doesNotContain("geheim", SECRET);
        assertThat(database.value("SELECT count(*) FROM howdah.sweep s, howdah.sweep_error e"
                        + " WHERE s::text LIKE '%geheim%' OR e::text LIKE '%geheim%'"))
                .isEqualTo("0");
    }

    @Test // a receiver that keeps keys would take next week's mails for this week's
    void request_ofASweepThatBeginsAnew_hasAnotherKey() {
        SweepRunner sweep = rows(2);
        Map<String, String> weekly = Map.of("--where", "last_mail_at IS NULL OR last_mail_at < :started");
        assertThat(sweep.run(weekly, "--http", address + "/204").exitCode()).isZero();
        assertThat(sweep.run(weekly, "--http", address + "/204", "--again").exitCode())
                .isZero();
        assertThat(seen.stream()
                        .map(each -> each.headers().getFirst("Idempotency-Key"))
                        .distinct())
                .hasSize(4);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            302     | answered 302, which is to go to ADDRESS/elsewhere; redirects are not followed: no <b>way</b>
            404     | answered 404: no <b>way</b>
            never   | has not answered within 5 s
            """)
    void answer_thatIsNot2xx_isAnError(String path, String error) {
        SweepRunner sweep = rows(2);
        CommandLineRun run = sweep.run("--http", address + "/" + path, "--timeout", "5", "--attempts", "1");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(database.value("SELECT error FROM howdah.sweep_error"))
                .isEqualTo(address + "/" + path + " " + error.replace("ADDRESS", address));
        assertThat(seen).hasSize(2);
    }

    @Test
    void answer_withoutEnd_isNotReadToTheEnd() {
        CommandLineRun run = rows(2).run("--http", address + "/endless");
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    private String held() {
        if ("t".equals(database.value("SELECT to_regclass('howdah_internal.sweep_worker') IS NULL"))) return "";
        return database.query("SELECT p.held FROM howdah_internal.sweep_process p").stream()
                .map(row -> String.valueOf(row.get(0)))
                .findFirst()
                .orElse("");
    }

    @Test // it is waited for, and no row is to blame
    void receiver_thatIsAway_isWaitedFor() throws Exception {
        try (TcpProxy network = TcpProxy.to("127.0.0.1", URI.create(address).getPort())) {
            String through = "http://127.0.0.1:" + network.port() + "/204";
            network.refuse();
            SweepRunner sweep = rows(20);
            try (HowdahProcess process = sweep.start("--attempts", "1", "--http", through)) {
                await().atMost(Patience.LIMIT)
                        .until(
                                this::held,
                                text -> text.startsWith(
                                        "the receiver is unavailable: " + through + " cannot be reached: "));
                assertThat(seen).isEmpty();
                assertThat(database.value("SELECT count(*) FROM howdah.sweep_error"))
                        .isEqualTo("0");
                network.accept();
                assertThat(process.exitCode()).as(process.err()).isZero();
                assertThat(process.out()).startsWith("mailing-7: done, 20 rows here in ");
                assertThat(process.err()).contains("the receiver of rows is unavailable", "is back after");
            }
        }
        assertThat(database.value("SELECT count(*) FROM subscription WHERE last_mail_at IS NULL"))
                .isEqualTo("0");
    }

    @ParameterizedTest // busy.STATUS.SECONDS: twice that answer, then 204
    @CsvSource({"429, 1", "502, ''", "503, 1", "503, ''", "504, 1"})
    void receiver_thatIsBusy_isAskedLater(String status, String seconds) {
        SweepRunner sweep = rows(5);
        CommandLineRun run =
                sweep.run("--attempts", "1", "--http", address + "/busy." + status + "." + seconds, "--workers", "1");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(seen).hasSize(7);
        assertThat(database.value("SELECT count(*) FROM howdah.sweep_error")).isEqualTo("0");
    }

    @Test
    void receiver_thatIsBusyForTooLong_endsTheProcess_andTheSameCommandGoesOn() {
        SweepRunner sweep = rows(5);
        CommandLineRun run = sweep.run("--max-rest", "1", "--attempts", "1", "--http", address + "/all.503");
        assertThat(run.exitCode()).isEqualTo(75);
        assertThat(run.err().lines().reduce((a, b) -> b).orElseThrow())
                .matches(
                        "howdah: the receiver is unavailable: .* answered 503\\. That has lasted for \\d+ s, so this process"
                                + " has left the sweep\\. Started again, it goes on");
        assertThat(database.value("SELECT state || ' ' || (SELECT count(*) FROM howdah.sweep_error) FROM howdah.sweep"))
                .isEqualTo("running 0");
        assertThat(sweep.run("--max-rest", "-1", "--http", address).err())
                .contains("--max-rest -1: it has to be 1 or more, or 0 for never");
        CommandLineRun rest = sweep.run("--max-rest", "0", "--http", address + "/204");
        assertThat(rest.exitCode()).as(rest.err()).isZero();
        assertThat(rest.out()).startsWith("mailing-7: done, 5 rows here");
    }

    @Test
    void failuresInARow_stopTheSweep() {
        SweepRunner sweep = rows(50);
        CommandLineRun run =
                sweep.run("--max-failures", "10", "--workers", "1", "--attempts", "1", "--http", address + "/all.500");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err().lines().reduce((a, b) -> b).orElseThrow())
                .isEqualTo("howdah: 10 rows in a row have failed, so the sweep was stopped. The last one was 10: "
                        + address + "/all.500 answered 500. Started again, it goes on");
        assertThat(database.value("SELECT count(*) FROM howdah.sweep_error")).isEqualTo("10");
        CommandLineRun rest = sweep.run("--retry-failed", "--http", address + "/204");
        assertThat(rest.exitCode()).as(rest.err()).isZero();
        assertThat(database.value("SELECT count(*) FROM subscription WHERE last_mail_at IS NULL"))
                .isEqualTo("0");
    }

    @Test
    void address_orHeader_thatIsNone_isRefused() throws Exception {
        SweepRunner sweep = rows(1);
        Path open = Files.writeString(home.resolve("open"), "A: geheim\n");
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r-----"));
        for (List<String> each : List.of(
                List.of("ftp://h/x", "x: 1", "--http is no address of http or https: ftp://h/x"),
                List.of("http://me:geheim@h/x", "x: 1", "--http has a user or a password in it: http://me:***@h/x"),
                List.of(address, "geheim", "--header is not NAME:VALUE"),
                List.of(address, "Host: geheim", "--header: the header Host is not yours to say"),
                List.of(address, "x: geh\neim", "--header: the value of the header x has characters"),
                List.of(address, "@" + home.resolve("nosuch"), "nosuch: there is no such file"),
                List.of(address, "@" + open, "can be read or written by other users: chmod 600 "))) {
            CommandLineRun run = sweep.run("--http", each.get(0), "--header", each.get(1));
            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.err())
                    .hasLineCount(1)
                    .contains(Objects.requireNonNull(each.get(2)))
                    .doesNotContain("geheim");
        }
        assertThat(database.value("SELECT to_regnamespace('howdah') IS NULL")).isEqualTo("t");
    }
}
