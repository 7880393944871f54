package dev.howdah.spring.internal.config;

import dev.howdah.console.Console;
import dev.howdah.spring.HowdahProperties;
import dev.howdah.spring.internal.node.ChosenDataSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** The console on a port of its own, where the application has howdah-console and names the port. */
@AutoConfiguration(after = HowdahAutoConfiguration.class)
@ConditionalOnClass(Console.class)
@ConditionalOnBean(ChosenDataSource.class)
@ConditionalOnProperty("howdah.console.port")
public class HowdahConsoleAutoConfiguration {
    @Bean
    ConsoleLifecycle howdahConsole(ChosenDataSource sources, HowdahProperties properties) {
        return new ConsoleLifecycle(sources.pool(), properties);
    }
}
