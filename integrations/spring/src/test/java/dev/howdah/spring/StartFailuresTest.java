package dev.howdah.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.howdah.beans.internal.handler.RefusedStart;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.spring.internal.failure.StartFailureAnalyzer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Applications that cannot start, and what they are told. */
@PostgresTest
class StartFailuresTest {
    private static final String WITHOUT_DATA_SOURCE = "spring.autoconfigure.exclude="
            + String.join(
                    ",",
                    "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
                    "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
                    "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
                    "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration");

    private final TestDatabase database;

    StartFailuresTest(TestDatabase database) {
        this.database = database;
    }

    private static FailureAnalysis analysis(Throwable thrown) {
        FailureAnalysis found = new StartFailureAnalyzer().analyze(thrown);
        return Objects.requireNonNull(found, () -> "not analysed: " + thrown);
    }

    private FailureAnalysis failure(Class<?> beans, String... properties) {
        return analysis(catchThrowable(
                () -> Application.start(database, beans, properties).close()));
    }

    @Test
    void application_withoutADataSource_isToldWhatToAdd() {
        FailureAnalysis told =
                analysis(catchThrowable(() -> Application.startAlone(Application.Plain.class, WITHOUT_DATA_SOURCE)));
        assertThat(told.getDescription()).contains("needs a data source", "has none");
        assertThat(told.getAction()).contains("spring-boot-starter-jdbc", "spring.datasource.url");
        Application.startAlone(Application.Plain.class, WITHOUT_DATA_SOURCE, "howdah.enabled=false")
                .close();
    }

    /** Two, of which none is marked. */
    @Configuration(proxyBeanMethods = false)
    static class Two {
        @Bean
        DataSource first() {
            return new PGSimpleDataSource();
        }

        @Bean
        DataSource second() {
            return new PGSimpleDataSource();
        }
    }

    @Test
    void application_withTwoDataSources_isToldHowToChoose() {
        FailureAnalysis told = failure(Two.class);
        assertThat(told.getDescription()).contains("several: first, second");
        assertThat(told.getAction()).contains("@HowdahDataSource", "@Primary");
    }

    /** Two, of which one is marked. */
    @Configuration(proxyBeanMethods = false)
    static class Marked {
        static TestDatabase of = TestDatabase.create();

        @Bean
        @HowdahDataSource
        DataSource first() {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(Application.url(of));
            source.setUser("postgres");
            return source;
        }

        @Bean
        DataSource second() {
            return new PGSimpleDataSource();
        }
    }

    @Test
    void application_withAMarkedDataSource_startsWithIt() {
        try (TestDatabase other = Marked.of;
                ConfigurableApplicationContext application = Application.start(database, Marked.class)) {
            assertThat(application.getBean(Jobs.class)).isNotNull();
            assertThat(other.value("SELECT to_regclass('howdah_internal.job') IS NOT NULL"))
                    .isEqualTo("t");
            assertThat(database.value("SELECT to_regclass('howdah_internal.job') IS NULL"))
                    .isEqualTo("t");
        }
    }

    static class TwoHandlers {
        @JobHandler("mail")
        void first(String payload) {}

        @JobHandler("mail")
        void second(String payload) {}
    }

    static class TwoPayloads {
        @JobHandler("mail")
        void mail(String payload, long other) {}
    }

    static class NoTransaction {
        @JobHandler("mail")
        void mail(String payload, Connection connection) {}
    }

    static class Later {
        @JobHandler("mail")
        CompletableFuture<Void> mail(String payload) {
            return CompletableFuture.completedFuture(null);
        }
    }

    static class TakesJobs {
        @JobHandler("mail")
        void mail(Jobs jobs) {}
    }

    static class Generic<T> {
        @JobHandler("mail")
        void mail(T payload) {}
    }

    static class ScheduledPayload {
        @JobHandler("mail")
        @JobSchedule(cron = "@daily")
        void mail(String payload) {}
    }

    static class NoHandler {
        @JobSchedule(cron = "@daily")
        void mail() {}
    }

    static class BadCron {
        @JobHandler("mail")
        @JobSchedule(cron = "0 25 * * *")
        void mail() {}
    }

    static class BadTime {
        @JobHandler(value = "mail", timeout = "soon")
        void mail() {}
    }

    static class TwoSchedules {
        @JobHandler("mail")
        @JobSchedule(cron = "@daily")
        @JobSchedule(cron = "@hourly")
        void mail() {}
    }

    static final class Mails {
        static final Kind<String> MAIL = Kind.of("mail", String.class)
                .queue("mails")
                .timeout(Duration.ofSeconds(5))
                .retries(RetryPolicy.never());

        private Mails() {}
    }

    static class UnknownConstant {
        @JobHandler(value = "post", kinds = Mails.class)
        void mail(String payload) {}
    }

    static class ConstantOfAnotherPayload {
        @JobHandler(value = "mail", kinds = Mails.class)
        void mail(long payload) {}
    }

    static class OtherQueue {
        @JobHandler(value = "mail", kinds = Mails.class, queue = "post")
        void mail(String payload) {}
    }

    static class OtherTimeout {
        @JobHandler(value = "mail", kinds = Mails.class, timeout = "6s")
        void mail(String payload) {}
    }

    static class OtherRetries {
        @JobHandler(value = "mail", kinds = Mails.class, attempts = 3)
        void mail(String payload) {}
    }

    static class LongBackoff {
        @JobHandler(value = "mail", backoff = "2h")
        void mail(String payload) {}
    }

    static Stream<Arguments> wrongHandlers() {
        return Stream.of(
                Arguments.of(
                        TwoHandlers.class,
                        List.of(
                                "\"mail\" has two handlers",
                                "TwoHandlers.first(String)",
                                "TwoHandlers.second(String)")),
                Arguments.of(
                        TwoPayloads.class, List.of("TwoPayloads.mail(String, long)", "two parameters for the payload")),
                Arguments.of(NoTransaction.class, List.of("java.sql.Connection and is not transactional")),
                Arguments.of(Later.class, List.of("returns a java.util.concurrent.CompletableFuture")),
                Arguments.of(TakesJobs.class, List.of("dev.howdah.job.Jobs, which no payload can have")),
                Arguments.of(Generic.class, List.of("whose type T is not known")),
                Arguments.of(ScheduledPayload.class, List.of("has no parameter for a payload")),
                Arguments.of(NoHandler.class, List.of("a @JobSchedule and no @JobHandler")),
                Arguments.of(UnknownConstant.class, List.of("Mails has no constant Kind with the name \"post\"")),
                Arguments.of(
                        ConstantOfAnotherPayload.class,
                        List.of("its payload is java.lang.Long", "the constant mail (java.lang.String)")),
                Arguments.of(OtherQueue.class, List.of("its queue is post, and that of its Kind mail is mails")),
                Arguments.of(OtherTimeout.class, List.of("its timeout is PT6S, and that of its Kind mail is PT5S")),
                Arguments.of(OtherRetries.class, List.of("its Kind mail have a retry policy each")),
                Arguments.of(LongBackoff.class, List.of("a backoff of PT2H is longer than the longest one")),
                Arguments.of(BadCron.class, List.of("BadCron.mail()", "schedule mail", "25")),
                Arguments.of(BadTime.class, List.of("\"soon\" is no time such as 30s")),
                Arguments.of(TwoSchedules.class, List.of("two schedules named \"mail\"")));
    }

    @ParameterizedTest
    @MethodSource("wrongHandlers")
    void handler_thatCannotBe_isRefusedByItsName(Class<?> bean, List<String> words) {
        org.springframework.beans.factory.support.DefaultListableBeanFactory beans =
                new org.springframework.beans.factory.support.DefaultListableBeanFactory();
        beans.registerBeanDefinition("bean", new org.springframework.beans.factory.support.RootBeanDefinition(bean));
        Throwable thrown = catchThrowable(() -> new dev.howdah.spring.internal.handler.HandlerMethods(beans).find());
        assertThat(thrown).isInstanceOf(RefusedStart.class);
        FailureAnalysis told = analysis(thrown);
        assertThat(told.getDescription()).contains(words);
        assertThat(told.getAction()).isNotBlank();
    }

    @Test
    void application_withAWrongHandler_doesNotStart() {
        assertThat(failure(TwoHandlers.class).getDescription()).contains("has two handlers");
    }

    @Test
    void property_thatIsRefused_isNamed() {
        FailureAnalysis told = failure(BeanWithHandler.class, "howdah.jobs.concurrency=0");
        assertThat(told.getDescription()).contains("howdah.jobs.concurrency", "0");
        assertThat(failure(BeanWithHandler.class, "howdah.schema=No Such").getDescription())
                .contains("howdah.schema", "No Such");
        assertThat(failure(BeanWithHandler.class, "howdah.sessions.url=mysql://x")
                        .getDescription())
                .contains("howdah.sessions.url", "jdbc:postgresql://");
    }

    static class BeanWithHandler {
        @JobHandler("mail")
        void mail(String payload) {}
    }

    /** Spring Boot's own analyzers say the rest: which value, and which values there are. */
    @Test
    void property_thatIsUnknown_orHasNoSuchValue_isRefusedBySpring() {
        assertThat(catchThrowable(
                        () -> Application.start(database, Application.Plain.class, "howdah.job.concurrency=1")))
                .hasStackTraceContaining("howdah.job.concurrency")
                .hasStackTraceContaining("UnboundConfigurationPropertiesException");
        assertThat(catchThrowable(() -> Application.start(database, Application.Plain.class, "howdah.install=later")))
                .hasStackTraceContaining("howdah.install")
                .hasStackTraceContaining("later");
    }

    @Test
    void database_thatIsNotReachable_isNamed() {
        FailureAnalysis told = analysis(catchThrowable(() -> Application.startAlone(
                Application.Plain.class,
                "spring.datasource.url=jdbc:postgresql://127.0.0.1:1/none",
                "spring.datasource.hikari.connection-timeout=300")));
        assertThat(told.getDescription()).contains("Howdah cannot use the application's data source");
    }

    @Test
    void console_thatCannotBeServed_isToldToTakeAnotherPort_onlyWhereThePortIsTaken() throws IOException {
        for (String wrong : List.of(
                "howdah.console.listen=0.0.0.0",
                "howdah.console.hosts=not a host",
                "howdah.console.trusted-proxies=proxy",
                "howdah.console.open-id.issuer=none")) {
            FailureAnalysis told = failure(Application.Plain.class, "howdah.console.port=0", wrong);
            assertThat(told.getDescription()).as(wrong).contains("The console cannot be served");
            assertThat(told.getAction()).as(wrong).contains("howdah.console").doesNotContain("port");
        }
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            FailureAnalysis told = failure(Application.Plain.class, "howdah.console.port=" + taken.getLocalPort());
            assertThat(told.getDescription()).contains("taken by another program");
            assertThat(told.getAction()).contains("Set howdah.console.port to another one");
        }
    }

    /** A handler of another payload than that of the kind which is a bean. */
    @Configuration(proxyBeanMethods = false)
    static class OtherPayload {
        @Bean
        Kind<Long> number() {
            return Kind.of("number", Long.class);
        }

        @JobHandler("number")
        void number(List<String> payload) {}
    }

    @Test
    void handlerOfAnotherPayloadThanItsKind_isNamed() {
        FailureAnalysis told = failure(OtherPayload.class);
        assertThat(told.getDescription()).contains("OtherPayload.number(List)", "number (java.lang.Long)");
    }
}
