package dev.howdah.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.beans.JobHandler;
import dev.howdah.beans.JobSchedule;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.testkit.TestJobs;
import io.agroal.api.AgroalDataSource;
import io.quarkus.test.QuarkusUnitTest;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An application in a test without a node: jobs run when the test says so. */
@Tag("long")
@SuppressWarnings("NullAway.Init") // injected
class TestJobsBeanTest {
    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = TestApplication.with(Mails.class, Request.class)
            .overrideRuntimeConfigKey("quarkus.howdah.jobs.enabled", "false")
            .overrideRuntimeConfigKey("mails.every", "1h");

    private static final Kind<String> WELCOME = Kind.of("welcome", String.class);

    /** There is one during each attempt. */
    @RequestScoped
    static class Request {
        int calls;

        int call() {
            return ++calls;
        }
    }

    /** Without an annotation of a scope: that of the handler makes it a bean. */
    static class Mails {
        static final List<String> SENT = new ArrayList<>();

        @Inject
        Request request;

        @JobHandler("welcome")
        void welcome(String address) {
            SENT.add(address + " " + request.call());
        }

        @JobHandler("digest")
        @JobSchedule(every = "${mails.every}")
        @JobSchedule(cron = "${mails.cron:-}", name = "never")
        void digest() {
            SENT.add("digest " + request.call());
        }
    }

    @Inject
    Jobs jobs;

    @Inject
    TestJobs test;

    @Inject
    AgroalDataSource source;

    @Test
    void jobs_runWhenTheTestSaysSo() throws Exception {
        add();
        test.assertAdded(WELCOME, "ann@example.com");
        assertThat(Mails.SENT).isEmpty();
        assertThat(test.runDue()).isEqualTo(1);
        assertThat(Mails.SENT).containsExactly("ann@example.com 1");
        assertThat(TestApplication.value(source, "SELECT count(*) FROM howdah.jobs WHERE state = 'done'"))
                .isEqualTo("1");
    }

    @Transactional
    void add() {
        jobs.add(WELCOME, "ann@example.com");
    }

    @Test
    void schedules_areReadFromTheAnnotations() {
        test.runFor(Duration.ofHours(2));
        assertThat(Mails.SENT).contains("digest 1");
    }
}
