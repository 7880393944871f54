package dev.howdah.spring.internal.config;

import dev.howdah.job.Jobs;
import dev.howdah.spring.internal.actuate.Boot3Health;
import dev.howdah.spring.internal.actuate.Boot4Health;
import dev.howdah.spring.internal.actuate.HowdahEndpoint;
import dev.howdah.spring.internal.actuate.NodeReport;
import dev.howdah.spring.internal.node.SpringInstallations;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Health, information and an endpoint, where the application has the actuator. */
@AutoConfiguration(after = HowdahAutoConfiguration.class)
@ConditionalOnBean(SpringInstallations.class)
public class HowdahActuatorAutoConfiguration {
    @Bean
    NodeReport howdahReport(Jobs jobs, SpringInstallations installations) {
        return new NodeReport(jobs, installations.first());
    }

    /** The contract of Spring Boot 3. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HealthIndicator.class)
    @ConditionalOnProperty(prefix = "management.health.howdah", name = "enabled", matchIfMissing = true)
    static class OnBoot3 {
        @Bean
        @ConditionalOnMissingBean(name = "howdahHealthIndicator")
        Boot3Health howdahHealthIndicator(NodeReport report) {
            return new Boot3Health(report);
        }
    }

    /** The contract of Spring Boot 4. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(org.springframework.boot.health.contributor.HealthIndicator.class)
    @ConditionalOnProperty(prefix = "management.health.howdah", name = "enabled", matchIfMissing = true)
    static class OnBoot4 {
        @Bean
        @ConditionalOnMissingBean(name = "howdahHealthIndicator")
        Boot4Health howdahHealthIndicator(NodeReport report) {
            return new Boot4Health(report);
        }
    }

    /** What is there in both. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({InfoContributor.class, ConditionalOnAvailableEndpoint.class})
    static class Endpoints {
        @Bean
        @ConditionalOnProperty(prefix = "management.info.howdah", name = "enabled", matchIfMissing = true)
        InfoContributor howdahInfoContributor(NodeReport report) {
            return builder -> builder.withDetail("howdah", report.info());
        }

        @Bean
        @ConditionalOnAvailableEndpoint
        HowdahEndpoint howdahEndpoint(NodeReport report) {
            return new HowdahEndpoint(report);
        }
    }
}
