package dev.howdah.job;

import static dev.howdah.job.JobsDatabase.awaiting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.spi.JacksonPayloadCodec;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What is said once for a kind, once around all handlers, and once for all payloads. */
@PostgresTest
class JobKindTest {
    private static final Kind<String> MAIL =
            Kind.of("mail", String.class).queue("post").priority(-7).retries(RetryPolicy.never());
    private static final Kind<String> PLAIN = Kind.of("plain", String.class);

    record Customer(String firstName, int number) {}

    private final TestDatabase database;

    JobKindTest(TestDatabase database) {
        this.database = JobsDatabase.filled(database);
    }

    private JobsBuilder builder() {
        return Jobs.on(JobsDatabase.dataSource(database));
    }

    @Test
    void kind_withDefaults_setsThemForJobsAndHandlers() {
        try (Jobs jobs = builder()
                .handle(MAIL, (text, job) -> {
                    throw new IllegalStateException(job.queue() + " " + job.priority());
                })
                .handle(PLAIN, (text, job) -> job.result(job.queue()))
                .start()) {
            long mail = jobs.add(MAIL, "a");
            long plain = jobs.add(PLAIN, "b");
            awaiting("the first attempt was the last")
                    .until(() -> jobs.admin().count(JobQuery.in(JobState.FAILED)) == 1);
            assertThat(jobs.admin().find(mail).orElseThrow().error()).contains("post -7");
            awaiting("done").until(() -> jobs.admin().find(plain).orElseThrow().state() == JobState.DONE);
            assertThat(jobs.admin().find(plain).orElseThrow().result()).isEqualTo("\"default\"");
            assertThat(NewJob.of(MAIL, "c").queue("other").priority(3))
                    .returns("other", NewJob::queue)
                    .returns(3, NewJob::priority);
        }
        assertThat(MAIL).isEqualTo(Kind.of("mail", String.class));
        assertThatThrownBy(() -> PLAIN.priority(101)).hasMessageContaining("from -100 to 100");
        assertThatThrownBy(() -> PLAIN.queue("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> PLAIN.timeout(Duration.ofSeconds(-1))).isInstanceOf(IllegalArgumentException.class);
    }

    /** The timeout of the handler counts before that of the kind. */
    @Test
    void timeout_ofTheKind_interruptsItsHandler() {
        Kind<String> slow =
                Kind.of("slow", String.class).timeout(Duration.ofMillis(50)).retries(RetryPolicy.never());
        try (Jobs jobs = builder()
                .handle(slow, (text, job) -> new CountDownLatch(1).await())
                .start()) {
            long id = jobs.add(slow, "a");
            awaiting("failed").until(() -> jobs.admin().find(id).orElseThrow().state() == JobState.FAILED);
            assertThat(jobs.admin().find(id).orElseThrow().error()).contains("its time was over");
        }
    }

    @Test
    void interceptors_aroundAllHandlers_areCalledInOrder() {
        List<String> said = new CopyOnWriteArrayList<>();
        try (Jobs jobs = builder().start();
                ManualJobs manual = builder()
                        .intercept((payload, job, next) -> {
                            said.add("outer " + payload);
                            try {
                                return next.proceed();
                            } catch (Exception e) {
                                said.add(job.kind()
                                        + (job.isLastAttempt() ? " gives up: " : " tries again: ")
                                        + e.getMessage());
                                throw e;
                            }
                        })
                        .handle(MAIL, (text, job) -> {
                            throw new IllegalStateException("no luck");
                        })
                        .handleInTransaction(PLAIN, (text, job, connection) -> said.add("handler " + text))
                        .intercept((payload, job, next) -> {
                            said.add("inner " + payload);
                            return "skipped".equals(payload) ? Outcome.done() : next.proceed();
                        })
                        .manual()) {
            jobs.add(PLAIN, "a");
            manual.runDue();
            jobs.add(PLAIN, "skipped");
            manual.runDue();
            jobs.add(MAIL, "b");
            manual.runDue();
            assertThat(said)
                    .containsExactly(
                            "outer a",
                            "inner a",
                            "handler a",
                            "outer skipped",
                            "inner skipped",
                            "outer b",
                            "inner b",
                            "mail gives up: no luck");
            assertThat(jobs.admin().count(JobQuery.in(JobState.DONE))).isEqualTo(2);
        }
    }

    @Test
    void codec_ofAMapper_convertsAsTheMapperDoes() {
        Kind<Customer> kind = Kind.of("customer", Customer.class);
        List<Customer> got = new ArrayList<>();
        JacksonPayloadCodec codec = JacksonPayloadCodec.of(JsonMapper.builder()
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .build());
        try (ManualJobs manual = builder()
                .codec(codec)
                .handle(kind, (customer, job) -> got.add(customer))
                .manual()) {
            long id = manual.jobs().add(kind, new Customer("Ann", 7));
            assertThat(manual.jobs().admin().find(id).orElseThrow().payload())
                    .isEqualTo("{\"first_name\":\"Ann\",\"number\":7}");
            manual.runDue();
            assertThat(got).containsExactly(new Customer("Ann", 7));
        }
    }
}
