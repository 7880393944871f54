package dev.howdah.internal.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AttemptLogTest {
    private final AtomicLong clock = new AtomicLong(-5);
    private final RecordedLog log = new RecordedLog();
    private final AttemptLog attempts = new AttemptLog(log.logger(), clock::get);

    @Test
    void retry_isOneLineAtWarn_lastAttemptIsErrorWithItsTrace() {
        Throwable thrown = new IllegalStateException("no {} luck");
        attempts.retry(ErrorText.of(thrown), "attempt {} of job {}", 1, 7);
        attempts.failed(ErrorText.of(thrown), thrown, "job {}", 7);
        attempts.failed(ErrorText.of("said so"), null, "job {}", 8);
        assertThat(log.lines())
                .containsExactly(
                        "WARN attempt 1 of job 7: java.lang.IllegalStateException: no {} luck",
                        "ERROR job 7: java.lang.IllegalStateException: no {} luck [java.lang.IllegalStateException]",
                        "ERROR job 8: said so");
    }

    @Test
    void retry_ofTheFirstOfItsKindAndError_hasItsTrace_andAllHaveItAtDebug() {
        String traced = " [java.lang.IllegalStateException]";
        for (String kind : List.of("mail", "mail", "charge")) retry(kind, new IllegalStateException("no"));
        retry("mail", new IllegalStateException("from another place"));
        assertThat(log.lines())
                .containsExactly(
                        "WARN job: java.lang.IllegalStateException: no" + traced,
                        "WARN job: java.lang.IllegalStateException: no",
                        "WARN job: java.lang.IllegalStateException: no" + traced,
                        "WARN job: java.lang.IllegalStateException: from another place" + traced);
        log.debug(true);
        retry("mail", new IllegalStateException("no"));
        assertThat(log.lines()).last().asString().endsWith(traced);
    }

    private void retry(String kind, Throwable thrown) {
        attempts.retry(ErrorText.of(thrown), thrown, kind, "job");
    }

    @Test
    void lines_areTooMany_areLeftOutAndCounted() {
        ErrorText error = ErrorText.of("no");
        for (int i = 0; i < 150; i++) attempts.retry(error, "row {}", i);
        attempts.failed(error, null, "row");
        assertThat(log.lines()).hasSize(101).last().isEqualTo("ERROR row: no");
        clock.addAndGet(100_000_000);
        attempts.retry(error, "row {}", 150);
        attempts.retry(error, "row {}", 151);
        assertThat(log.lines())
                .hasSize(102)
                .last()
                .isEqualTo("WARN row 150: no (50 more failed attempts were not logged)");
        clock.addAndGet(3_600_000_000_000L);
        for (int i = 0; i < 150; i++) attempts.retry(error, "row {}", i);
        assertThat(log.lines()).hasSize(202);
    }

    @Test
    void throwable_isHostile_itsTextIsLogged() {
        HostileException thrown = new HostileException(HostileException.Way.MESSAGE_THROWS);
        attempts.failed(ErrorText.of(thrown), thrown, "job");
        assertThat(log.lines())
                .hasSize(1)
                .first()
                .asString()
                .startsWith("ERROR job: " + HostileException.class.getName() + ": (getMessage() threw ")
                .contains("\n\tat ");
    }

    @Test
    void appender_throws_nothingIsThrown() {
        log.failing(true);
        Throwable thrown = new IllegalStateException("no luck");
        attempts.retry(ErrorText.of(thrown), "job");
        attempts.failed(ErrorText.of(thrown), thrown, "job");
        assertThat(log.lines()).isEmpty();
    }
}
