package dev.howdah.spring.internal.config;

import dev.howdah.beans.internal.handler.RefusedStart;
import dev.howdah.console.Console;
import dev.howdah.console.ConsoleBuilder;
import dev.howdah.spring.HowdahProperties;
import java.net.BindException;
import java.net.URI;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/** Serves the console while the application runs. */
public final class ConsoleLifecycle implements SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger(ConsoleLifecycle.class);

    private final DataSource source;
    private final HowdahProperties properties;
    private volatile @Nullable Console console;

    ConsoleLifecycle(DataSource source, HowdahProperties properties) {
        this.source = source;
        this.properties = properties;
    }

    @Override
    public synchronized void start() {
        if (console != null) return;
        HowdahProperties.ConsoleSettings settings = properties.console();
        try {
            ConsoleBuilder builder = Console.on(source)
                    .port(Objects.requireNonNullElse(settings.port(), 0))
                    .schema(properties.schema())
                    .login(settings.login())
                    .label(settings.label())
                    .listen(settings.listen())
                    .hosts(settings.hosts())
                    .basePath(settings.basePath())
                    .trustedProxies(settings.trustedProxies());
            if (!settings.openId().isEmpty()) builder.openId(provider(settings.openId()));
            Console started = builder.start();
            console = started;
            log.info(
                    "the console is at {}",
                    settings.login() && settings.openId().isEmpty() ? started.link() : started.address());
        } catch (LinkageError e) {
            throw new RefusedStart(
                    "howdah-console needs Jetty 12.1, and another version of it is on the class path: " + e.getMessage()
                            + ".",
                    "Set the version of Jetty that Spring Boot manages: the property jetty.version of Maven, to 12.1.12 or"
                            + " newer. An application whose own web server is an older Jetty does without the console.",
                    e);
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new RefusedStart(
                    "The console cannot be served: " + e.getMessage() + ".",
                    e.getCause() instanceof BindException
                            ? "Set howdah.console.port to another one."
                            : "Correct the settings that begin with howdah.console.",
                    e);
        }
    }

    private static Properties provider(Map<String, String> settings) {
        Properties provider = new Properties();
        provider.putAll(settings);
        return provider;
    }

    @Override
    public synchronized void stop() {
        Console last = console;
        console = null;
        if (last != null) last.close();
    }

    @Override
    public boolean isRunning() {
        return console != null;
    }

    /** Where it is; null: it does not run. */
    public @Nullable URI address() {
        Console now = console;
        return now == null ? null : now.address();
    }
}
