package dev.howdah.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.Environment;

/** The attributes of {@link SpringBootTest}. */
@HowdahSpringTest(
        classes = WebEnvironmentTest.Application.class,
        properties = "spring.flyway.enabled=false",
        args = "--shop=open")
class WebEnvironmentTest {
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @HowdahSpringTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
    private static class OnAPort {}

    private static SpringBootTest.WebEnvironment of(Class<?> test) {
        SpringBootTest merged = AnnotatedElementUtils.findMergedAnnotation(test, SpringBootTest.class);
        assertThat(merged).isNotNull();
        return merged.webEnvironment();
    }

    @Test
    void environment_isThatOfSpringBootTest_unlessTheTestNamesAnother() {
        assertThat(of(WebEnvironmentTest.class)).isEqualTo(SpringBootTest.WebEnvironment.MOCK);
        assertThat(of(OnAPort.class)).isEqualTo(SpringBootTest.WebEnvironment.RANDOM_PORT);
    }

    @Test
    void arguments_areThoseOfTheTest(@Autowired Environment environment) {
        assertThat(environment.getProperty("shop")).isEqualTo("open");
    }
}
