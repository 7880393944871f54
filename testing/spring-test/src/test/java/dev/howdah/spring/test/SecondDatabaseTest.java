package dev.howdah.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.spring.HowdahInstallation;
import dev.howdah.spring.JobHandler;
import dev.howdah.testkit.TestJobs;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.RepeatedTest;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** An application with two databases, as its own test sees it. */
@HowdahSpringTest(
        classes = SecondDatabaseTest.Application.class,
        properties = {"spring.flyway.enabled=false", "reports.url=${howdah.test.database.reports}"})
class SecondDatabaseTest {
    private static final Kind<Integer> MONTHLY = Kind.of("monthly", Integer.class);

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Here.class, There.class})
    static class Application {
        @Bean
        HowdahInstallation reports(@Value("${reports.url}") String url) {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(url);
            return HowdahInstallation.on(source);
        }
    }

    static class Here {
        final List<Integer> done = new ArrayList<>();

        @JobHandler("monthly")
        void monthly(Integer month) {
            done.add(month);
        }
    }

    static class There {
        final List<String> done = new ArrayList<>();

        @JobHandler(value = "monthly", installation = "reports", transactional = true)
        void monthly(Integer month, Connection connection) throws SQLException {
            done.add(connection.getCatalog() + " " + month);
        }
    }

    // twice: what a test leaves in either database is gone before the next one
    @RepeatedTest(2)
    void jobs_ofEachDatabase_runWhenTheTestSaysSo(
            @Autowired Jobs jobs,
            @Autowired @Qualifier("reportsJobs") Jobs reports,
            @Autowired TestJobs here,
            @Autowired @Qualifier("reportsTestJobs") TestJobs there,
            @Autowired DataSource source,
            @Autowired Here doneHere,
            @Autowired There doneThere)
            throws SQLException {
        doneHere.done.clear();
        doneThere.done.clear();
        jobs.add(MONTHLY, 1);
        reports.add(MONTHLY, 2);
        reports.add(MONTHLY, 3);
        here.assertWaiting("monthly", 1);
        there.assertWaiting("monthly", 2);
        assertThat(there.runDue()).isEqualTo(2);
        assertThat(doneHere.done).isEmpty();
        assertThat(here.runDue()).isEqualTo(1);
        assertThat(doneHere.done).containsExactly(1);
        try (Connection connection = source.getConnection()) {
            String name = connection.getCatalog();
            assertThat(doneThere.done).hasSize(2).noneMatch(each -> each.startsWith(name + " "));
        }
        jobs.add(MONTHLY, 4);
        reports.add(MONTHLY, 5);
    }
}
