package dev.howdah.spring.internal.node;

import dev.howdah.beans.internal.handler.BeanMethod;
import dev.howdah.beans.internal.node.Installation;
import dev.howdah.spring.internal.handler.HandlerMethods;
import java.util.List;
import org.springframework.context.SmartLifecycle;

/**
 * Runs jobs and processes while the application runs: starts when all beans are there, and stops before one is closed. It can be started again. Safe for use by many
 * threads.
 */
public final class ApplicationNode implements SmartLifecycle {
    private final SpringInstallations installations;
    private final HandlerMethods methods;

    public ApplicationNode(SpringInstallations installations, HandlerMethods methods) {
        this.installations = installations;
        this.methods = methods;
    }

    @Override
    public synchronized void start() {
        List<BeanMethod> all = methods.find();
        try {
            for (Installation each : installations.all()) each.start(each.handlers(all));
        } catch (RuntimeException | Error e) {
            stop();
            throw e;
        }
    }

    @Override
    public synchronized void stop() {
        // At the same time: each may wait for as long.
        installations.all().parallelStream().forEach(Installation::stop);
    }

    @Override
    public void stop(Runnable callback) {
        Thread thread = new Thread(
                () -> {
                    try {
                        stop();
                    } finally {
                        callback.run();
                    }
                },
                "howdah-stop");
        thread.start();
    }

    @Override
    public boolean isRunning() {
        return installations.first().isRunning();
    }
}
