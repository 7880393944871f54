package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.limit.JobLimits;
import dev.howdah.job.limit.LimitScope;
import dev.howdah.job.limit.LimitSetting;
import dev.howdah.job.limit.Rate;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Limits set from Java: the same as from SQL. */
@PostgresTest
class JobLimitsApiTest {
    private static final LimitScope MAIL = LimitScope.queue("mail");

    private final JobsDatabase database;

    JobLimitsApiTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private String settings() {
        return database.rows(
                        "SELECT kind, group_name, each_group, setting, value FROM howdah.limits WHERE queue = 'mail'"
                                + " ORDER BY setting, kind, group_name, each_group, value")
                .toString();
    }

    @Test
    void limits_setFromJava_areThoseOfSql_andCanBeRemoved() {
        database.execute("""
                SELECT howdah.limit('mail', 20), howdah.limit('mail', 2, kind => 'newsletter'),
                    howdah.limit('mail', 3, each_group => true), howdah.limit('mail', 10, group_name => 'acme'),
                    howdah.rate_limit('mail', 100, '1 minute', burst => 10), howdah.rate_limit('mail', 1000, '1 h'),
                    howdah.rate_limit('mail', 5, '1 s', kind => 'newsletter'),
                    howdah.rate_limit('mail', 7, '2.5 s', each_group => true), howdah.rate_limit('mail', 9, '1 s', group_name => 'acme'),
                    howdah.share('mail', 'acme', 2.5), howdah.age('mail', '10 min', 20)
                """);
        String bySql = settings();
        for (String table : List.of("queue_limit", "rate_limit", "group_share", "queue_ageing"))
            database.execute("DELETE FROM howdah_internal." + table);
        try (Jobs jobs = database.jobs().start()) {
            JobLimits limits = jobs.admin().limits();
            limits.setConcurrency(MAIL, 20);
            limits.setConcurrency(MAIL.kind("newsletter"), 2);
            limits.setConcurrency(MAIL.forEachGroup(), 3);
            limits.setConcurrency(MAIL.group("acme"), 10);
            limits.setRate(MAIL, Rate.of(100, Duration.ofMinutes(1)).burst(10));
            limits.setRate(MAIL, Rate.of(1000, Duration.ofHours(1)));
            limits.setRate(MAIL.kind("newsletter"), Rate.of(5, Duration.ofSeconds(1)));
            limits.setRate(MAIL.forEachGroup(), Rate.of(7, Duration.ofMillis(2_500)));
            limits.setRate(MAIL.group("acme"), Rate.of(9, Duration.ofSeconds(1)));
            limits.setShare("mail", "acme", 2.5);
            limits.setAgeing("mail", Duration.ofMinutes(10), 20);
            assertThat(settings()).isEqualTo(bySql);
            assertThat(limits.list())
                    .hasSize(11)
                    .contains(
                            new LimitSetting(MAIL, false, "rate", "100 in 00:01:00, 10 at once"),
                            new LimitSetting(MAIL.group("acme"), false, "concurrency", "10"));
            limits.removeRate(MAIL, Duration.ofHours(1));
            assertThat(limits.list()).hasSize(10);
            for (LimitScope each : List.of(MAIL, MAIL.kind("newsletter"), MAIL.forEachGroup(), MAIL.group("acme"))) {
                limits.removeConcurrency(each);
                limits.removeRates(each);
            }
            limits.setShare("mail", "acme", 1);
            limits.removeAgeing("mail");
            assertThat(limits.list()).isEmpty();
        }
    }

    @Test
    void limits_thatAreNone_areRefused() {
        try (Jobs jobs = database.jobs().start()) {
            JobLimits limits = jobs.admin().limits();
            assertThatThrownBy(() -> limits.setConcurrency(MAIL, 0)).hasMessage("a limit of 0: it has to be 1 or more");
            assertThatThrownBy(() -> Rate.of(0, Duration.ofSeconds(1)))
                    .hasMessage("a rate of 0: it has to be from 1 to 1000000");
            assertThatThrownBy(() -> Rate.of(1, Duration.ZERO))
                    .hasMessage("a period of PT0S: it has to be from PT0.01S to PT8784H");
            assertThatThrownBy(() -> Rate.of(1, Duration.ofSeconds(1)).burst(2))
                    .hasMessage("a burst of 2: it has to be from 1 to the rate, which is 1");
            assertThatThrownBy(() -> MAIL.kind("a").group("b")).hasMessageContaining("not for several of these");
            assertThatThrownBy(() -> limits.setShare("mail", "acme", 0))
                    .hasMessage("a share of 0.0: it has to be from 0.001 to 1000");
            assertThatThrownBy(() -> limits.setAgeing("mail", Duration.ofMillis(1), 1))
                    .hasMessage("a time of PT0.001S: it has to be from a second to 366 days");
        }
    }
}
