package dev.howdah.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.process.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.sql.DataSource;
import liquibase.integration.spring.SpringLiquibase;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Tables that Flyway makes, or that have to be there. */
@PostgresTest
class TablesByOthersTest {
    private final TestDatabase database;

    TablesByOthersTest(TestDatabase database) {
        this.database = database;
    }

    /** An application with Flyway. */
    @Configuration(proxyBeanMethods = false)
    static class WithFlyway {
        @Bean(initMethod = "migrate")
        Flyway flyway(DataSource source, org.springframework.core.env.Environment environment) {
            return Flyway.configure()
                    .dataSource(source)
                    .locations("filesystem:" + environment.getRequiredProperty("migrations"))
                    .load();
        }
    }

    @Test
    void tables_ofAnApplicationWithFlyway_areMadeByItsMigrations(@TempDir Path migrations) throws IOException {
        Files.writeString(migrations.resolve("V1__own.sql"), "CREATE TABLE own (id int);");
        assertThat(catchThrowable(() -> Application.start(database, WithFlyway.class, "migrations=" + migrations)))
                .hasStackTraceContaining("The tables of jobs are missing")
                .hasStackTraceContaining("Flyway or Liquibase makes the tables")
                .hasStackTraceContaining("./howdah job schema --from 0 --to " + Jobs.schemaVersion())
                .hasStackTraceContaining("howdah.install=start");
        assertThat(database.value("SELECT to_regclass('own')")).isEqualTo("own");
        assertThat(database.value("SELECT to_regnamespace('howdah')")).isNull();

        Files.writeString(migrations.resolve("V2__jobs.sql"), Jobs.schema(0, Jobs.schemaVersion()));
        Files.writeString(migrations.resolve("V3__processes.sql"), Processes.schema(0, Processes.schemaVersion()));
        try (ConfigurableApplicationContext application =
                Application.start(database, WithFlyway.class, "migrations=" + migrations)) {
            assertThat(application.getBean(Processes.class)).isNotNull();
            assertThat(database.value("SELECT count(*) FROM flyway_schema_history WHERE success"))
                    .isEqualTo("3");
        }
    }

    /** An application with Liquibase. */
    @Configuration(proxyBeanMethods = false)
    static class WithLiquibase {
        @Bean
        SpringLiquibase liquibase(DataSource source, org.springframework.core.env.Environment environment) {
            SpringLiquibase liquibase = new SpringLiquibase();
            liquibase.setDataSource(source);
            liquibase.setChangeLog("file:" + environment.getRequiredProperty("migrations"));
            return liquibase;
        }
    }

    @Test
    void tables_ofAnApplicationWithLiquibase_areMadeByItsChangeSets(@TempDir Path migrations) throws IOException {
        Path own = migrations.resolve("own.sql");
        Files.writeString(own, "--liquibase formatted sql\n--changeset shop:1\nCREATE TABLE own (id int);\n");
        Path all = migrations.resolve("all.xml");
        Files.writeString(all, changeLog(own));
        assertThat(catchThrowable(() -> Application.start(database, WithLiquibase.class, "migrations=" + all)))
                .hasStackTraceContaining("The tables of jobs are missing")
                .hasStackTraceContaining("Flyway or Liquibase makes the tables");
        assertThat(database.value("SELECT to_regclass('own')")).isEqualTo("own");

        Path jobs = migrations.resolve("jobs.sql");
        Path processes = migrations.resolve("processes.sql");
        Files.writeString(jobs, Jobs.schema(0, Jobs.schemaVersion()));
        Files.writeString(processes, Processes.schema(0, Processes.schemaVersion()));
        Files.writeString(all, changeLog(own, jobs, processes));
        try (ConfigurableApplicationContext application =
                Application.start(database, WithLiquibase.class, "migrations=" + all)) {
            assertThat(application.getBean(Processes.class)).isNotNull();
            assertThat(database.value("SELECT count(*) FROM databasechangelog"))
                    .as("one of its own, and one for each version")
                    .isEqualTo(String.valueOf(1 + Jobs.schemaVersion() + Processes.schemaVersion()));
        }
    }

    private static String changeLog(Path... files) {
        StringBuilder log = new StringBuilder("<databaseChangeLog xmlns=\"http://www.liquibase.org/xml/ns/dbchangelog\""
                + " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
                + " xsi:schemaLocation=\"http://www.liquibase.org/xml/ns/dbchangelog"
                + " http://www.liquibase.org/xml/ns/dbchangelog/dbchangelog-latest.xsd\">");
        for (Path file : files) log.append("<include file=\"file:").append(file).append("\"/>");
        return log.append("</databaseChangeLog>").toString();
    }

    @Test
    void tables_thatAreNotToBeMade_haveToBeThere() {
        assertThat(catchThrowable(() -> Application.start(database, Application.Plain.class, "howdah.install=never")))
                .hasStackTraceContaining("howdah.install=never");
        assertThat(database.value("SELECT to_regnamespace('howdah')")).isNull();
        Application.start(database, Application.Plain.class).close();
        Application.start(database, Application.Plain.class, "howdah.install=never")
                .close();
    }
}
