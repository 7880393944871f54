package dev.howdah.micronaut.internal;

import io.micronaut.context.BeanContext;
import io.micronaut.context.event.ShutdownEvent;
import io.micronaut.context.event.StartupEvent;
import io.micronaut.core.annotation.Order;
import io.micronaut.core.order.Ordered;
import io.micronaut.runtime.event.annotation.EventListener;
import jakarta.inject.Singleton;

/** Starts the nodes when the application has started, and stops them before any bean is closed. */
@Singleton
class NodeLifecycle {
    private final BeanContext context;

    NodeLifecycle(BeanContext context) {
        this.context = context;
    }

    @EventListener
    @Order(Ordered.LOWEST_PRECEDENCE)
    void start(StartupEvent event) {
        context.getBeansOfType(InstallationFactory.Named.class).forEach(InstallationFactory.Named::start);
    }

    @EventListener
    @Order(Ordered.HIGHEST_PRECEDENCE)
    void stop(ShutdownEvent event) {
        context.getBeansOfType(InstallationFactory.Named.class)
                .forEach(each -> each.installation().stop());
    }
}
