package dev.howdah.internal.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OutageLogTest {
    private final AtomicLong clock = new AtomicLong(-5);
    private final RecordedLog recorded = new RecordedLog();
    private final OutageLog log = new OutageLog(recorded.logger(), "sweeps", clock::get);

    private List<String> lines() {
        return recorded.lines().stream()
                .filter(each -> !each.startsWith("DEBUG"))
                .toList();
    }

    private void after(Duration time) {
        clock.addAndGet(time.toNanos());
    }

    @Test
    void failed_oftenInAnOutage_isLoggedOnceAMinute() {
        for (int i = 0; i < 130; i++) {
            log.failed("rows cannot be read", "connection refused");
            after(Duration.ofSeconds(1));
        }
        log.worked();
        log.worked();
        assertThat(lines())
                .containsExactly(
                        "WARN sweeps: rows cannot be read, trying again until it works: connection refused",
                        "WARN sweeps: rows cannot be read, trying again until it works: connection refused (59 more"
                                + " failures since the line before)",
                        "WARN sweeps: rows cannot be read, trying again until it works: connection refused (59 more"
                                + " failures since the line before)",
                        "INFO sweeps: the database works again, 130 s after the first failure; 9 failures were not logged");
    }

    @Test
    void failed_nowAndThenWithinAMinute_isLoggedOnce() {
        for (int i = 0; i < 5; i++) {
            log.failed("a batch cannot be worked on", "lock timeout");
            log.worked();
            after(Duration.ofSeconds(5));
        }
        assertThat(lines())
                .containsExactly(
                        "WARN sweeps: a batch cannot be worked on, trying again until it works: lock timeout",
                        "INFO sweeps: the database works again, 0 s after the first failure; 0 failures were not logged");
        after(Duration.ofMinutes(1));
        log.failed("a batch cannot be worked on", "lock timeout");
        assertThat(lines().get(2))
                .endsWith("trying again until it works: lock timeout (4 more failures since the line before)");
    }

    @Test
    void worked_withoutAnOutage_logsNothing() {
        log.worked();
        assertThat(lines()).isEmpty();
    }
}
