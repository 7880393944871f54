package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.PayloadCheck;
import dev.howdah.job.query.PayloadReport;
import dev.howdah.job.query.UnreadablePayload;
import dev.howdah.job.workflow.After;
import dev.howdah.job.workflow.Workflow;
import dev.howdah.spi.CompressedPayloadCodec;
import dev.howdah.spi.EncryptedPayloadCodec;
import dev.howdah.spi.JacksonPayloadCodec;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.spi.TypeReference;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** Jobs with codecs that encrypt and compress, and whether what is stored can still be read. */
@PostgresTest
class JobCodecTest {
    record Card(String number, int amount) {}

    /** The same after a field became a number. */
    record NumericCard(long number, int amount) {}

    private static final Kind<Card> PAY = Kind.of("pay", Card.class);
    private static final PayloadCodec JSON = JacksonPayloadCodec.of(new ObjectMapper());
    private static final EncryptedPayloadCodec OLD = EncryptedPayloadCodec.of(JSON, "old", key(1));
    private static final EncryptedPayloadCodec NEW = EncryptedPayloadCodec.of(JSON, "new", key(2));
    private static final String SECRET = "4111-1111";

    private final JobsDatabase database;

    JobCodecTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private static SecretKey key(int value) {
        byte[] all = new byte[32];
        all[0] = (byte) value;
        return new SecretKeySpec(all, "AES");
    }

    @Test
    void payload_thatAnOlderProgramCannotRead_isLeftToANewerOne() {
        enum Before {
            CARD
        }
        enum Today {
            CARD,
            WALLET
        }
        Kind<Before> before = Kind.of("by", Before.class).retries(RetryPolicy.after(Duration.ZERO));
        Kind<Today> today = Kind.of("by", Today.class);
        Queue<Today> seen = new ConcurrentLinkedQueue<>();
        long id;
        try (ManualJobs older =
                database.jobs().handle(before, (payload, job) -> {}).manual()) {
            id = older.jobs().add(today, Today.WALLET);
            older.runNext(Duration.ZERO);
            assertThat(database.text("SELECT attempt || ' ' || (more ->> 'error') FROM howdah_internal.job"))
                    .startsWith("1 its payload is no Before: ")
                    .contains("WALLET");
        }
        try (ManualJobs newer = database.jobs()
                .handle(today, (payload, job) -> seen.add(payload))
                .manual()) {
            newer.runDue();
        }
        assertThat(seen).containsExactly(Today.WALLET);
        assertThat(database.letters(id)).endsWith("d");
    }

    /** Everything that is stored of jobs, as text. */
    private String stored() {
        StringBuilder all = new StringBuilder();
        for (String table : List.of(
                "howdah_internal.job",
                "howdah_internal.body",
                "howdah_internal.batch",
                "howdah_internal.failed",
                "howdah_internal.job_step",
                "howdah.schedule",
                "howdah_internal.ordered"))
            all.append(database.text("SELECT COALESCE(string_agg(t::text, ' '), '') FROM " + table + " t"));
        return all.toString();
    }

    /** Writes down what it is asked to prepare, and fails at it. */
    private record Preparing(Set<Type> prepared) implements PayloadCodec {
        @Override
        public void prepare(Type type) {
            prepared.add(type);
            throw new IllegalStateException("not now");
        }

        @Override
        public String encode(Object payload) {
            return JSON.encode(payload);
        }

        @Override
        public <T> T decode(String json, Class<T> type) {
            return JSON.decode(json, type);
        }
    }

    @Test
    void typesOfHandlers_arePreparedWhenTheNodeStarts_whateverTheCodecThrows() {
        Set<Type> prepared = ConcurrentHashMap.newKeySet();
        Queue<Card> handled = new ConcurrentLinkedQueue<>();
        try (Jobs jobs = database.jobs()
                .codec(EncryptedPayloadCodec.of(CompressedPayloadCodec.of(new Preparing(prepared)), "new", key(2)))
                .handle(PAY, (card, job) -> handled.add(card))
                .handle(Kind.of("number", Long.class), (number, job) -> {})
                .handle(Kind.of("nothing", Void.class), (nothing, job) -> {})
                .start()) {
            await().until(() -> prepared.equals(Set.of(Card.class, Long.class)));
            jobs.add(PAY, new Card(SECRET, 7));
            await().until(() -> handled.size() == 1);
        }
    }

    @Test
    void payloadResultAndStep_areEncrypted_andRead() throws Exception {
        Queue<Card> handled = new ConcurrentLinkedQueue<>();
        try (Jobs jobs = database.jobs()
                .codec(NEW)
                .defaultRetries(RetryPolicy.after(Duration.ofMillis(1)))
                .handle(PAY, (card, job) -> {
                    handled.add(card);
                    String receipt = job.step("charge", String.class, () -> "receipt " + card.number());
                    if (job.attempt() == 1) throw new IllegalStateException("once more");
                    job.result(receipt);
                })
                .start()) {
            long id = jobs.add(PAY, new Card(SECRET, 7));
            assertThat(jobs.result(id, String.class).get()).isEqualTo("receipt " + SECRET);
            jobs.schedule(Schedule.every("later", Duration.ofDays(1)), NewJob.of(PAY, new Card(SECRET, 8)));
            assertThat(handled).containsExactly(new Card(SECRET, 7), new Card(SECRET, 7));
            assertThat(stored()).contains("aes-gcm").doesNotContain(SECRET);
            assertThat(jobs.admin()
                            .list(JobQuery.in(JobState.DONE).payload("{\"amount\": 7}"))
                            .jobs())
                    .isEmpty();
        }
    }

    @Test
    void resultsOfAWorkflow_areEncrypted_andReadByTheJobThatHasWaitedForThem() throws Exception {
        Kind<Integer> join = Kind.of("join", Integer.class);
        try (Jobs jobs = database.jobs()
                .codec(NEW)
                .handle(PAY, (card, job) -> job.result(List.of(card)))
                .handle(join, (number, job) -> {
                    List<Card> paid = job.resultOf("paid", new TypeReference<List<Card>>() {});
                    job.result(Objects.requireNonNull(paid).get(0).number());
                })
                .start()) {
            long flow = jobs.workflows()
                    .add(Workflow.of("flow")
                            .job("paid", NewJob.of(PAY, new Card(SECRET, 7)))
                            .job("joined", NewJob.of(join, 1), After.done("paid")));
            long joined = jobs.workflows().jobs(flow).stream()
                    .filter(each -> each.name().equals("joined"))
                    .findFirst()
                    .orElseThrow()
                    .id();
            assertThat(jobs.result(joined, String.class).get()).isEqualTo(SECRET);
            assertThat(stored()).doesNotContain(SECRET);
        }
    }

    @Test
    void keys_areChangedWhileJobsWait() {
        Queue<Integer> handled = new ConcurrentLinkedQueue<>();
        try (Jobs before = database.jobs().codec(OLD).start()) {
            before.add(PAY, new Card(SECRET, 1));
        }
        try (Jobs jobs = database.jobs()
                .codec(NEW.decryptingWith("old", key(1)))
                .handle(PAY, (card, job) -> handled.add(card.amount()))
                .start()) {
            jobs.add(PAY, new Card(SECRET, 2));
            JobsDatabase.awaiting("both have run").until(() -> handled.size() == 2);
        }
        try (Jobs without = database.jobs()
                .codec(OLD)
                .defaultRetries(RetryPolicy.never())
                .handle(PAY, (card, job) -> handled.add(card.amount()))
                .start()) {
            try (Jobs other = database.jobs().codec(NEW).start()) {
                long id = other.add(PAY, new Card(SECRET, 3));
                database.awaitFailed(id);
                assertThat(database.failed(id, "error"))
                        .startsWith("its payload is encrypted with the key \"new\", which is not among the keys");
            }
            assertThat(without.node()).isPositive();
        }
        assertThat(stored()).doesNotContain(SECRET);
    }

    @Test
    void payload_putIntoAJobOfAnotherKind_isRefused() {
        Kind<Card> refund = Kind.of("refund", Card.class);
        try (Jobs jobs = database.jobs().codec(NEW).start()) {
            jobs.add(PAY, new Card(SECRET, 1));
        }
        database.execute("UPDATE howdah_internal.job SET kind = 'refund'");
        try (Jobs jobs = database.jobs()
                .defaultRetries(RetryPolicy.never())
                .codec(NEW)
                .handle(refund, (card, job) -> {})
                .start()) {
            JobsDatabase.awaiting("it has failed")
                    .until(() -> database.number("SELECT count(*) FROM howdah_internal.failed") == 1);
            assertThat(database.text("SELECT error FROM howdah_internal.failed"))
                    .contains("encrypted for another kind than \"refund\"");
            assertThat(jobs.node()).isPositive();
        }
    }

    @Test
    void largePayload_isStoredCompressed() {
        Queue<Integer> lengths = new ConcurrentLinkedQueue<>();
        Kind<String> text = Kind.of("text", String.class);
        try (Jobs jobs = database.jobs()
                .codec(CompressedPayloadCodec.of(JSON))
                .handle(text, (payload, job) -> lengths.add(payload.length()))
                .start()) {
            jobs.add(text, "x".repeat(1_000_000));
            JobsDatabase.awaiting("it has run").until(() -> lengths.size() == 1);
            database.awaitEmpty();
        }
        assertThat(lengths).containsExactly(1_000_000);
        assertThat(stored()).contains("deflate").hasSizeLessThan(10_000);
    }

    @Test
    void check_readsAllThatCouldRun_andNamesWhatCannotBeRead() {
        Kind<NumericCard> today = Kind.of("pay", NumericCard.class);
        try (Jobs jobs = database.jobs()
                .handle(Kind.of("fails", Card.class), (card, job) -> {
                    throw new FatalException("no");
                })
                .start()) {
            jobs.addAll(IntStream.range(0, 1_200)
                    .mapToObj(n -> NewJob.of(Kind.of("fine", Integer.class), n).queue("other"))
                    .toList());
            NewJob<Card> pay = NewJob.of(PAY, new Card("12", 1)).queue("other");
            jobs.add(pay);
            long bad =
                    jobs.add(NewJob.of(PAY, new Card("12-x", 1)).queue("other")).id();
            long planned = jobs.add(
                            NewJob.of(PAY, new Card("13-x", 1)).queue("other").delay(Duration.ofDays(3)))
                    .id();
            long leading = jobs.add(pay.orderKey("o")).id();
            long following = jobs.add(NewJob.of(PAY, new Card("14-x".repeat(5_000), 1))
                            .queue("other")
                            .orderKey("o"))
                    .id();
            long failed = jobs.add(Kind.of("fails", Card.class), new Card("15-x", 1));
            database.awaitFailed(failed);
            JobsDatabase.awaiting("the first job in order waits")
                    .until(() ->
                            database.number("SELECT count(*) FROM howdah_internal.job WHERE id = " + leading) == 1);

            PayloadReport fine = PayloadCheck.on(database.dataSource())
                    .kinds(PAY, Kind.of("fine", Integer.class), Kind.of("fails", Card.class))
                    .run();
            fine.assertReadable();
            assertThat(fine.read())
                    .containsEntry("fine", 1_200L)
                    .containsEntry("pay", 5L)
                    .containsEntry("fails", 1L);

            PayloadReport report = PayloadCheck.on(database.dataSource())
                    .kinds(today, Kind.of("fails", NumericCard.class))
                    .run();
            assertThat(report.unreadable())
                    .extracting(each -> each.id() + " " + each.state())
                    .containsExactlyInAnyOrder(
                            bad + " WAITING", planned + " PLANNED", following + " FOLLOWING", failed + " FAILED");
            assertThatThrownBy(report::assertReadable)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageStartingWith("4 of 6 payloads cannot be read:")
                    .hasMessageContaining("job " + bad + " (other, pay, WAITING): its payload is no NumericCard");
        }
    }

    @Test
    void check_withoutKindsOrWithTwoOfOneName_isRefused() {
        PayloadCheck check = PayloadCheck.on(database.dataSource());
        assertThatThrownBy(check::run).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> check.kinds(PAY, Kind.of("pay", NumericCard.class)))
                .hasMessageContaining("two kinds of one name");
    }

    record Before(long amount, List<Item> items) {}

    record Item(String name) {}

    record Renamed(long total, List<Item> items) {}

    record Longer(long amount, List<Item> items, int retries) {}

    record Shorter(List<Item> items) {}

    record Deeper(long amount, List<OtherItem> items) {}

    record OtherItem(String title) {}

    /** Reads the old name of a field, too. */
    private static final class AliasCodec implements PayloadCodec {
        private final PayloadCodec standard = JacksonPayloadCodec.of(new ObjectMapper());

        @Override
        public String encode(Object payload) {
            return standard.encode(payload);
        }

        @Override
        public <T> T decode(String json, Class<T> type) {
            return standard.decode(json.replace("amount", "total"), type);
        }
    }

    private List<String> unreadable(Class<?> type) {
        return unreadable(PayloadCheck.on(database.dataSource()), type);
    }

    private static List<String> unreadable(PayloadCheck check, Class<?> type) {
        return check.kinds(Kind.of("bill", type)).run().unreadable().stream()
                .map(UnreadablePayload::error)
                .toList();
    }

    @Test
    void check_fieldOfAnotherName_isUnreadable_oneMoreOrLessIsNot() {
        try (Jobs jobs = database.jobs().start()) {
            jobs.add(Kind.of("bill", Before.class), new Before(100, List.of(new Item("pen"))));
            assertThat(unreadable(Renamed.class))
                    .containsExactly("its field amount is passed over, and total, which it does not have, becomes 0;"
                            + " if that is its new name, @JsonAlias(\"amount\") reads the old one");
            assertThat(unreadable(Deeper.class)).singleElement().asString().contains("items.0.name", "items.0.title");
            for (Class<?> each : List.of(Before.class, Longer.class, Shorter.class, Map.class))
                assertThat(unreadable(each)).as(each.getSimpleName()).isEmpty();
            assertThat(unreadable(PayloadCheck.on(database.dataSource()).codec(new AliasCodec()), Renamed.class))
                    .isEmpty();
        }
    }
}
