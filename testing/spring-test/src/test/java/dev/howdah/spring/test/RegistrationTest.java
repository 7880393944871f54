package dev.howdah.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.spring.JobHandler;
import dev.howdah.spring.JobSchedule;
import dev.howdah.spring.internal.node.SpringInstallations;
import dev.howdah.testkit.TestJobs;
import java.time.Duration;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** An application as its own test sees it. */
@HowdahSpringTest(classes = RegistrationTest.Application.class, properties = "spring.flyway.enabled=false")
class RegistrationTest {
    record Welcome(String email) {}

    private static final Kind<Welcome> WELCOME = Kind.of("welcome", Welcome.class);
    private static final Kind<Void> REMINDER = Kind.of("reminder", Void.class);

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Registration.class, Mails.class})
    static class Application {}

    /** Adds jobs. */
    static class Registration {
        private final Jobs jobs;

        Registration(Jobs jobs) {
            this.jobs = jobs;
        }

        @Transactional
        public void register(String email) {
            jobs.add(WELCOME, new Welcome(email));
            jobs.add(NewJob.of(REMINDER).delay(Duration.ofDays(7)));
            if (email.isEmpty()) throw new IllegalArgumentException("an address is needed");
        }
    }

    /** Handles them. */
    static class Mails {
        private final JdbcTemplate jdbc;

        Mails(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
            jdbc.execute("CREATE TABLE IF NOT EXISTS mail (text text)");
        }

        @JobHandler(value = "welcome", transactional = true)
        void welcome(Welcome payload) {
            jdbc.update("INSERT INTO mail VALUES (?)", "welcome " + payload.email());
        }

        @JobHandler("reminder")
        void reminder() {
            jdbc.update("INSERT INTO mail VALUES ('reminder')");
        }

        @JobHandler("newsletter")
        @JobSchedule(every = "30d")
        void newsletter() {
            jdbc.update("INSERT INTO mail VALUES ('newsletter')");
        }
    }

    @Autowired
    @SuppressWarnings("NullAway.Init") // Spring sets them
    private Registration registration;

    @Autowired
    @SuppressWarnings("NullAway.Init")
    private TestJobs jobs;

    @Autowired
    @SuppressWarnings("NullAway.Init")
    private JdbcTemplate jdbc;

    private int mails() {
        Integer count = jdbc.queryForObject("SELECT count(*) FROM mail", Integer.class);
        return count == null ? 0 : count;
    }

    /** Twice, so that one would find what the other has left. */
    @RepeatedTest(2)
    void register_addsAWelcomeAndAReminder() {
        int before = mails();
        registration.register("ann@example.com");
        jobs.assertAdded(WELCOME, new Welcome("ann@example.com"));
        jobs.assertWaiting("reminder", 1);
        assertThat(jobs.runDue()).isEqualTo(1);
        assertThat(mails()).isEqualTo(before + 1);
        registration.register("bea@example.com");
        jobs.assertWaiting("welcome", 1);
    }

    @Test
    void register_thatFails_addsNothing() {
        try {
            registration.register("");
        } catch (IllegalArgumentException e) {
            // What was added is rolled back with it.
        }
        jobs.assertNotAdded("welcome");
        jobs.assertNotAdded("reminder");
    }

    @Test
    void reminder_runsAfterAWeek() {
        registration.register("ann@example.com");
        jobs.runDue();
        int before = mails();
        jobs.advance(Duration.ofDays(6));
        assertThat(jobs.runDue()).isZero();
        jobs.advance(Duration.ofDays(1));
        assertThat(jobs.runDue()).isEqualTo(1);
        assertThat(mails()).isEqualTo(before + 1);
    }

    @Test
    void schedule_ofTheApplication_runsAtItsTime() {
        assertThat(jobs.jobs().schedules().find("newsletter")).isPresent();
        jobs.runFor(Duration.ofDays(31));
        assertThat(mailsWith("newsletter")).isPositive();
    }

    private int mailsWith(String text) {
        Integer count = jdbc.queryForObject("SELECT count(*) FROM mail WHERE text = ?", Integer.class, text);
        return count == null ? 0 : count;
    }

    @Test
    void node_ofTheApplication_runsNothing(@Autowired SpringInstallations installations) {
        assertThat(installations.first().runsJobs()).isNull();
    }
}
