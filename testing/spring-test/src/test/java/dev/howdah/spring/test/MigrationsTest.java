package dev.howdah.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.spring.JobHandler;
import dev.howdah.testkit.TestJobs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** A test of an application whose migrations make the tables: they find none. */
@HowdahSpringTest(classes = MigrationsTest.Application.class, properties = "spring.flyway.enabled=false")
class MigrationsTest {
    private static final Kind<String> MAIL = Kind.of("mail", String.class);

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private static Path migrations;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean(initMethod = "migrate")
        Flyway flyway(DataSource source) {
            try {
                Files.writeString(migrations.resolve("V1__mail.sql"), "CREATE TABLE mail (text text);");
                Files.writeString(migrations.resolve("V2__howdah_job.sql"), Jobs.schema(0, Jobs.schemaVersion()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return Flyway.configure()
                    .dataSource(source)
                    .locations("filesystem:" + migrations)
                    .load();
        }

        @JobHandler("mail")
        void mail(String text) {}
    }

    @Test
    void tables_ofTheApplicationsMigrations_areUsed(
            @Autowired Jobs jobs, @Autowired TestJobs test, @Autowired JdbcTemplate jdbc) {
        jobs.add(MAIL, "hello");
        assertThat(test.runDue()).isEqualTo(1);
        assertThat(jdbc.queryForObject("SELECT count(*) FROM flyway_schema_history WHERE success", Integer.class))
                .isEqualTo(2);
    }
}
