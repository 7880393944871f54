package dev.howdah.spring;

import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Starts applications as their main methods do. */
final class Application {
    static final Duration PATIENCE = Patience.LIMIT;

    private static final String WITHOUT_JPA = "--spring.autoconfigure.exclude="
            + String.join(
                    ",",
                    "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
                    "org.springframework.boot.autoconfigure.data.jpa.JpaRepositoriesAutoConfiguration",
                    "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
                    "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration");

    private Application() {}

    /** An application without beans of its own. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Plain {}

    static ConfigurableApplicationContext start(TestDatabase database, Class<?> beans, String... properties) {
        return run(beans, with(properties, WITHOUT_JPA, "--spring.datasource.url=" + url(database)));
    }

    static ConfigurableApplicationContext startWithJpa(TestDatabase database, Class<?> beans, String... properties) {
        return run(beans, with(properties, "--spring.datasource.url=" + url(database)));
    }

    /** Without a database. */
    static ConfigurableApplicationContext startAlone(Class<?> beans, String... properties) {
        return run(beans, with(properties, WITHOUT_JPA));
    }

    private static ConfigurableApplicationContext run(Class<?> beans, List<String> arguments) {
        SpringApplication application = new SpringApplication(Plain.class, beans);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setBannerMode(Banner.Mode.OFF);
        application.setRegisterShutdownHook(false);
        return application.run(arguments.toArray(String[]::new));
    }

    private static List<String> with(String[] properties, String... others) {
        List<String> arguments = new ArrayList<>(List.of(
                "--spring.datasource.username=postgres",
                "--spring.flyway.enabled=false",
                "--spring.liquibase.enabled=false",
                "--spring.main.log-startup-info=false"));
        arguments.addAll(List.of(others));
        for (String each : properties) arguments.add("--" + each);
        return arguments;
    }

    static String url(TestDatabase database) {
        return "jdbc:postgresql://" + database.uri().substring("postgresql://postgres@".length());
    }

    static void awaitValue(TestDatabase database, String sql, String value) {
        await(sql)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> value.equals(Objects.requireNonNullElse(database.value(sql), "NULL")));
    }
}
