package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.error.RecordedLog;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A program adds jobs with another kind of the same name than that of its handler: it is told once what differs. */
@PostgresTest
class JobKindAgreementTest {
    record Welcome(String name) {}

    private static final Kind<Welcome> HANDLED =
            Kind.of("welcome", Welcome.class).queue("mails");

    private final JobsDatabase database;
    private final RecordedLog log = new RecordedLog();

    JobKindAgreementTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private List<String> said(Kind<Welcome> handler, List<NewJob<?>> added) {
        try (ManualJobs manual = database.jobs()
                .log(log.logger())
                .handle(handler, (payload, job) -> {})
                .manual()) {
            for (int i = 0; i < 2; i++) {
                for (NewJob<?> each : added) manual.jobs().add(each);
                manual.jobs().addAll(added);
            }
        }
        return log.lines().stream()
                .filter(each -> each.contains("use one Kind"))
                .toList();
    }

    @Test
    void kindOfAnotherQueue_isSaidOnce() {
        assertThat(said(HANDLED, List.of(NewJob.of(Kind.of("welcome", Welcome.class), new Welcome("ann")))))
                .singleElement()
                .asString()
                .contains("jobs of kind welcome are added to queue default, and its handler claims from mails");
    }

    @Test
    void retriesAndTimeoutOfTheKind_thatTheHandlerLacks_areSaid() {
        Kind<Welcome> added = HANDLED.retries(RetryPolicy.never()).timeout(Duration.ofSeconds(1));
        assertThat(said(HANDLED, List.of(NewJob.of(added, new Welcome("ann")))))
                .hasSize(2)
                .anyMatch(each -> each.contains("retry policy"))
                .anyMatch(each -> each.contains("timeout"));
    }

    @Test
    void payloadThatTheHandlerCannotRead_isSaid() {
        assertThat(said(
                        HANDLED,
                        List.of(NewJob.of(Kind.of("welcome", Long.class).queue("mails"), 7L))))
                .singleElement()
                .asString()
                .contains("have a payload that its handler cannot read");
    }

    @Test
    void kindsThatAgree_andQueuesThatJobsName_areNotSaid() {
        assertThat(said(
                        HANDLED.retries(RetryPolicy.never()),
                        List.of(
                                NewJob.of(HANDLED, new Welcome("ann")),
                                NewJob.of(HANDLED.priority(3), new Welcome("ann")),
                                NewJob.of(Kind.of("welcome", Map.class).queue("mails"), Map.of("name", "ann")),
                                NewJob.of(Kind.of("welcome", Welcome.class), new Welcome("ann"))
                                        .queue("others"),
                                NewJob.of(Kind.of("other", Welcome.class), new Welcome("ann")))))
                .isEmpty();
    }
}
