package dev.howdah.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Job;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Outcome;
import dev.howdah.job.Schedule;
import dev.howdah.job.Schedules;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.spi.TypeReference;
import dev.howdah.sweep.Sweeps;
import dev.howdah.task.TaskTable;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.transaction.annotation.Transactional;

/** Methods of beans as handlers: what they get, what becomes of what they return and throw, and their attributes. */
@PostgresTest
class HandlerBeansTest {
    private static final Kind<Welcome> WELCOME = Kind.of("welcome", Welcome.class);
    private static final Kind<List<Long>> NUMBERS = Kind.of("numbers", new TypeReference<List<Long>>() {});

    private final TestDatabase database;

    HandlerBeansTest(TestDatabase database) {
        this.database = database;
    }

    record Welcome(String email) {}

    /** The bean of the README, and others that differ in what they take and return. */
    static class Mails {
        final BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        final AtomicInteger attempts = new AtomicInteger();
        private final Jobs jobs;

        Mails(Jobs jobs) {
            this.jobs = jobs;
        }

        @JobHandler("welcome")
        void welcome(Welcome payload, Job job) {
            seen.add(String.join(
                    " ",
                    "welcome",
                    payload.email(),
                    String.valueOf(job.attempt()),
                    MDC.get("kind"),
                    String.valueOf(String.valueOf(job.id()).equals(MDC.get("id"))),
                    MDC.get("attempt")));
        }

        @JobHandler(value = "numbers", queue = "${numbers.queue}")
        long numbers(List<Long> payload) {
            return payload.stream().mapToLong(each -> each).sum();
        }

        @JobHandler("outcome")
        Outcome outcome(Job job, String payload) {
            return Outcome.fail("no " + payload);
        }

        @JobHandler(value = "twice", attempts = 2)
        void twice(int payload) {
            attempts.incrementAndGet();
            throw new IllegalStateException("number " + payload);
        }

        @JobHandler(value = "slow", timeout = "50ms", attempts = 1, limit = 3)
        void slow() throws InterruptedException {
            new LinkedBlockingQueue<String>().take();
        }

        @JobHandler("chain")
        void chain(String payload) {
            jobs.add(WELCOME, new Welcome(payload));
        }

        @JobHandler("report")
        @JobSchedule(cron = "0 6 * * MON-FRI", zone = "Europe/Berlin", jitter = "5m", catchUp = "1h")
        @JobSchedule(name = "often", every = "1s")
        @JobSchedule(name = "off", cron = "-")
        void report() {
            seen.add("report");
        }
    }

    /** Behind a proxy of its class, since it is transactional. */
    static class Proxied {
        final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

        @Transactional
        @JobHandler("proxied")
        public void handle(String payload) {
            seen.add(payload
                    + org.springframework.transaction.support.TransactionSynchronizationManager
                            .isActualTransactionActive());
        }

        BlockingQueue<String> seen() {
            return seen;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Mails.class)
    static class Beans {
        @Bean
        @Lazy
        Proxied proxied() {
            return new Proxied();
        }
    }

    private static String next(BlockingQueue<String> seen) throws InterruptedException {
        return String.valueOf(seen.poll(60, TimeUnit.SECONDS));
    }

    @Test
    void handlers_ofBeans_getWhatTheyTake_andTheirAttributesHold() throws Exception {
        try (ConfigurableApplicationContext application = Application.start(
                database, Beans.class, "numbers.queue=sums", "howdah.node-name=shop", "howdah.jobs.concurrency=4")) {
            Jobs jobs = application.getBean(Jobs.class);
            Mails mails = application.getBean(Mails.class);

            assertThat(next(mails.seen)).isEqualTo("report");
            jobs.schedules().remove("often");
            Schedules.Entry report = jobs.schedules().find("report").orElseThrow();
            assertThat(report.kind()).isEqualTo("report");
            assertThat(report.schedule())
                    .isNotNull()
                    .extracting(Schedule::zoneName)
                    .isEqualTo("Europe/Berlin");
            assertThat(database.value("SELECT jitter || ' ' || catch_up FROM howdah.schedule WHERE name = 'report'"))
                    .isEqualTo("00:05:00 01:00:00");
            assertThat(jobs.schedules().find("off")).isEmpty();

            mails.seen.clear();
            jobs.add(Kind.of("chain", String.class), "ann@example.com");
            String seen;
            do seen = next(mails.seen);
            while (seen.equals("report"));
            assertThat(seen).isEqualTo("welcome ann@example.com 1 welcome true 1");

            long sum = jobs.add(NUMBERS.queue("sums"), List.of(40L, 2L));
            assertThat(jobs.await(sum, Application.PATIENCE).result()).isEqualTo("42");

            long refused = jobs.add(Kind.of("outcome", String.class), "paper");
            assertThat(jobs.await(refused, Application.PATIENCE).error()).isEqualTo("no paper");

            long twice = jobs.add(Kind.of("twice", Integer.class), 7);
            assertThat(jobs.await(twice, Application.PATIENCE).error()).contains("number 7");
            assertThat(mails.attempts).hasValue(2);

            long slow = jobs.add(NewJob.of(Kind.of("slow", Void.class))).id();
            assertThat(jobs.await(slow, Application.PATIENCE).state()).isEqualTo(JobState.FAILED);
            assertThat(database.value("SELECT value FROM howdah.limits WHERE kind = 'slow'"))
                    .isEqualTo("3");

            jobs.add(Kind.of("proxied", String.class), "in a transaction: ");
            assertThat(next(application.getBean(Proxied.class).seen())).isEqualTo("in a transaction: true");

            assertThat(database.value("SELECT string_agg(DISTINCT name, ',') FROM howdah_internal.node"))
                    .isEqualTo("shop");
            assertThat(application.getBean(Sweeps.class).list()).isEmpty();
            assertThat(application.getBean(TaskTable.class)).isNotNull();
        }
        assertThat(database.value("SELECT count(*) FROM howdah_internal.node")).isEqualTo("0");
    }

    static final class Kinds {
        static final Kind<Welcome> REFUSED = Kind.of("refused", Welcome.class).queue("mails");

        private Kinds() {}
    }

    /** A kind that is a constant, and its handler, whose retries depend on what it throws. */
    static class Refusing {
        final AtomicInteger attempts = new AtomicInteger();

        @JobHandler(
                value = "refused",
                kinds = Kinds.class,
                attempts = 5,
                backoff = "1ms",
                noRetryFor = IllegalArgumentException.class)
        void refused(Welcome payload) {
            if (attempts.incrementAndGet() < 3) throw new IllegalStateException("once more");
            throw new NumberFormatException(payload.email());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class RefusingBeans {
        @Bean
        Refusing refusing() {
            return new Refusing();
        }
    }

    @Test
    void kindOfAConstant_givesItsHandlerItsQueue_andRetriesDependOnTheException() throws Exception {
        try (ConfigurableApplicationContext application = Application.start(database, RefusingBeans.class)) {
            Jobs jobs = application.getBean(Jobs.class);
            JobSummary job = jobs.await(jobs.add(Kinds.REFUSED, new Welcome("ann@example.com")), Application.PATIENCE);
            assertThat(job.state()).isEqualTo(JobState.FAILED);
            assertThat(job.queue()).isEqualTo("mails");
            assertThat(application.getBean(Refusing.class).attempts).hasValue(3);
        }
    }

    static class Talking {
        private static final Logger log = LoggerFactory.getLogger(Talking.class);

        @JobHandler("talk")
        void talk(String name) {
            log.debug("not this");
            log.info("hello, {}", name);
            log.warn("oh", new IllegalStateException("no luck"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TalkingBeans {
        @Bean
        Talking talking() {
            return new Talking();
        }
    }

    @Test
    void linesThatAHandlerLogs_areInTheLogOfItsJob_whereThatIsAskedFor() throws Exception {
        try (ConfigurableApplicationContext application =
                Application.start(database, TalkingBeans.class, "howdah.jobs.log-level=info")) {
            Jobs jobs = application.getBean(Jobs.class);
            long job = jobs.add(Kind.of("talk", String.class), "ann");
            jobs.await(job, Application.PATIENCE);
            Application.awaitValue(database, "SELECT count(*) FROM howdah.log WHERE job = " + job, "2");
            assertThat(database.value(
                            "SELECT string_agg(line, '; ' ORDER BY at, line) FROM howdah.log WHERE job = " + job))
                    .isEqualTo("INFO hello, ann; WARN oh: java.lang.IllegalStateException: no luck");
        }
    }

    /** A kind that is a bean, and its handler. */
    @Configuration(proxyBeanMethods = false)
    static class Declared {
        final AtomicInteger attempts = new AtomicInteger();

        @Bean
        Kind<Welcome> once() {
            return Kind.of("once", Welcome.class).queue("mails").retries(RetryPolicy.never());
        }

        @JobHandler("once")
        void once(Welcome payload) {
            attempts.incrementAndGet();
            throw new IllegalStateException(payload.email());
        }
    }

    @Test
    void kindOfABean_givesItsHandlerQueueAndRetries() throws Exception {
        try (ConfigurableApplicationContext application = Application.start(database, Declared.class)) {
            @SuppressWarnings("unchecked")
            Kind<Welcome> once = application.getBean("once", Kind.class);
            long job = application.getBean(Jobs.class).add(once, new Welcome("ann@example.com"));
            assertThat(application
                            .getBean(Jobs.class)
                            .await(job, Application.PATIENCE)
                            .queue())
                    .isEqualTo("mails");
            assertThat(application.getBean(Declared.class).attempts).hasValue(1);
        }
    }
}
