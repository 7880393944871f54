package dev.howdah.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import io.agroal.api.AgroalDataSource;
import io.quarkus.test.QuarkusUnitTest;
import jakarta.inject.Inject;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An application without an address of a database and without a container. */
@Tag("long")
@SuppressWarnings("NullAway.Init") // injected
class DevPostgresTest {
    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(TestApplication.class))
            .overrideConfigKey("quarkus.datasource.db-kind", "postgresql")
            .overrideConfigKey("quarkus.datasource.devservices.enabled", "false")
            .overrideConfigKey("quarkus.howdah.devservices.enabled", "true");

    @ConfigProperty(name = "quarkus.datasource.jdbc.url")
    String url;

    @Inject
    AgroalDataSource source;

    @Inject
    Jobs jobs;

    @Test
    void application_hasAPostgres() throws Exception {
        assertThat(url).startsWith("jdbc:postgresql://127.0.0.1:");
        jobs.add(Kind.of("welcome", String.class), "ann@example.com");
        assertThat(TestApplication.value(source, "SELECT count(*) FROM howdah.jobs"))
                .isEqualTo("1");
    }
}
