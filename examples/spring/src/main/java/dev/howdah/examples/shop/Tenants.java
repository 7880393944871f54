package dev.howdah.examples.shop;

import dev.howdah.job.Handler;
import dev.howdah.job.NewJob;
import java.util.Map;
import org.slf4j.MDC;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A job runs for the tenant of the request that has added it. */
@Configuration(proxyBeanMethods = false)
class Tenants {
    @Bean
    NewJob.Interceptor tenantOfTheRequest() {
        return (job, connection) -> {
            String tenant = MDC.get("tenant");
            return tenant == null ? job : job.metadata(Map.of("tenant", tenant));
        };
    }

    @Bean
    Handler.Interceptor tenantOfTheJob() {
        return (payload, job, next) -> {
            Object tenant = job.metadata().get("tenant");
            if (tenant == null) return next.proceed();
            try (MDC.MDCCloseable carried = MDC.putCloseable("tenant", tenant.toString())) {
                return next.proceed();
            }
        };
    }
}
