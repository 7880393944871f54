package dev.howdah.reach.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import dev.howdah.fixtures.ChildJvm;
import dev.howdah.fixtures.HttpPlace;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.NewJob;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.reach.ReachSettings;
import jakarta.mail.internet.MimeMessage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** A program whose jobs send requests and mails is killed while some of them are on their way. */
@PostgresTest
@Tag("long")
class ReachJobsKillTest {
    private static final Duration PATIENCE = Patience.LIMIT;
    private static final int EACH = 60;
    private static final int HELD = 5;
    private static final int AT_ONCE = 10;

    private final TestDatabase database;

    ReachJobsKillTest(TestDatabase database) {
        this.database = database;
    }

    /** @param arguments the address of the database, and a file of settings */
    public static void main(String[] arguments) throws Exception {
        ReachSettings settings =
                ReachSettings.of(List.of("http://127.0.0.1:*", "smtp://127.0.0.1:*"), Path.of(arguments[1]), Map.of());
        CountDownLatch killed = new CountDownLatch(1);
        try (ReachJobs reach = ReachJobs.of(settings);
                Jobs jobs = Jobs.on(source(arguments[0]))
                        .handle(HttpJob.KIND, reach.http())
                        .handle(MailJob.KIND, reach.mail())
                        .concurrency(AT_ONCE)
                        .start()) {
            System.out.println("node " + jobs.node());
            killed.await();
        }
    }

    private static PGSimpleDataSource source(String url) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(url);
        return source;
    }

    @Test
    void program_killedInTheMiddle_losesNoJob_andAllAttemptsHaveOneKey(@TempDir Path directory) throws Exception {
        CountDownLatch open = new CountDownLatch(1);
        AtomicInteger held = new AtomicInteger();
        GreenMail mails = new GreenMail(new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
        mails.getSmtp().getServerSetup().setServerStartupTimeout(60_000);
        mails.start();
        String url =
                "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres";
        Path file = Files.writeString(directory.resolve("reach.json"), "{\"senders\": [\"*@telco.example\"]}");
        // Some requests have arrived, and have no answer yet, when the program is killed.
        try (HttpPlace place = new HttpPlace((exchange, seen) -> {
                    if (held.incrementAndGet() <= HELD) open.await();
                    exchange.sendResponseHeaders(204, -1);
                });
                Jobs jobs = Jobs.on(source(url)).start()) {
            List<Long> ids = jobs.addAll(IntStream.range(0, 2 * EACH)
                    .mapToObj(i -> i % 2 == 0 ? request(place, i) : mail(mails, i))
                    .toList());
            try (ChildJvm first = child(url, file)) {
                await().atMost(PATIENCE)
                        .until(() -> held.get() >= HELD && mails.getReceivedMessages().length > EACH / 4);
                first.kill();
                first.awaitGone();
            }
            int unfinished = 2 * EACH - ends(jobs, ids).size();
            assertThat(unfinished).as("killed in the middle").isBetween(HELD, 2 * EACH - EACH / 8);
            try (ChildJvm second = child(url, file)) {
                open.countDown();
                await().atMost(PATIENCE)
                        .untilAsserted(() ->
                                assertThat(ends(jobs, ids)).as(second::log).hasSize(2 * EACH));
            }
            assertThat(ends(jobs, ids)).allMatch(each -> each.state() == JobState.DONE && each.attempt() <= 2);
            int twice = (int)
                    ends(jobs, ids).stream().filter(each -> each.attempt() == 2).count();
            assertThat(twice).isBetween(HELD, unfinished);
            Map<String, Set<String>> keys = new HashMap<>();
            for (HttpPlace.Seen each : place.seen()) keys(keys, each.path()).add(key(each));
            Map<String, Set<String>> messageIds = new HashMap<>();
            for (MimeMessage each : mails.getReceivedMessages())
                keys(messageIds, each.getSubject()).add(each.getMessageID());
            for (Map<String, Set<String>> some : List.of(keys, messageIds))
                assertThat(some)
                        .hasSize(EACH)
                        .allSatisfy((job, all) -> assertThat(all).hasSize(1));
            assertThat(keys.values().stream().flatMap(Set::stream)).doesNotHaveDuplicates();
            assertThat(messageIds.values().stream().flatMap(Set::stream)).doesNotHaveDuplicates();
            // Only what had been begun was sent twice, and not all of that.
            assertThat(place.seen()).hasSizeBetween(EACH + HELD, EACH + twice);
            assertThat(mails.getReceivedMessages()).hasSizeBetween(EACH, EACH + twice - HELD);
        } finally {
            mails.stop();
        }
    }

    private static NewJob<?> request(HttpPlace place, int number) {
        return NewJob.of(HttpJob.KIND, HttpJob.post(place.address() + "/" + number, "{}"));
    }

    private static NewJob<?> mail(GreenMail mails, int number) {
        String relay = "smtp://127.0.0.1:" + mails.getSmtp().getPort();
        return NewJob.of(
                MailJob.KIND,
                MailJob.builder(relay, "billing@telco.example", "ann@example.com")
                        .withoutTls()
                        .subject("invoice " + number)
                        .text("x")
                        .build());
    }

    private static ChildJvm child(String url, Path file) {
        return ChildJvm.start(ReachJobsKillTest.class, List.of("-XX:TieredStopAtLevel=1"), url, file.toString());
    }

    private static List<JobSummary> ends(Jobs jobs, List<Long> ids) {
        return ids.stream()
                .map(id -> jobs.admin().find(id).orElseThrow())
                .filter(each -> each.state() == JobState.DONE || each.state() == JobState.FAILED)
                .toList();
    }

    private static Set<String> keys(Map<String, Set<String>> all, String job) {
        return all.computeIfAbsent(job, each -> new HashSet<>());
    }

    private static String key(HttpPlace.Seen request) {
        return request.headers().getFirst("Idempotency-Key");
    }
}
