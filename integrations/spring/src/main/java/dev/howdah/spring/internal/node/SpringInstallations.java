package dev.howdah.spring.internal.node;

import dev.howdah.beans.internal.node.Installation;
import dev.howdah.beans.internal.node.InstallationSettings;
import dev.howdah.job.Jobs;
import dev.howdah.spi.TransactionBridge;
import dev.howdah.spring.HowdahInstallation;
import dev.howdah.spring.HowdahProperties;
import dev.howdah.spring.internal.transaction.SpringTransactions;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;

/** Howdah in the data source of an application, and in others that it names. Made once; safe for use by many threads then. */
public final class SpringInstallations implements AutoCloseable {
    private final Map<String, Installation> byName = new LinkedHashMap<>();

    public SpringInstallations(
            ConfigurableListableBeanFactory beans,
            HowdahProperties properties,
            ChosenDataSource sources,
            TransactionBridge transactions,
            ObjectProvider<PlatformTransactionManager> managers,
            Environment environment) {
        SpringBeans all = new SpringBeans(beans, properties.json());
        InstallationSettings settings = SettingsOfSpring.of(beans, properties, environment);
        byName.put("", new Installation("", settings, sources.pool(), sources.sessions(), transactions, all));
        beans.getBeansOfType(HowdahInstallation.class)
                .forEach((name, one) -> byName.put(
                        name,
                        new Installation(
                                name,
                                settings.in(one.schema()),
                                one.source(),
                                one.sessions(),
                                SpringTransactions.of(one.source(), managers),
                                all)));
    }

    /** That of the application's data source. */
    public Installation first() {
        return of("");
    }

    /** The one whose bean has that name. */
    public Installation of(String name) {
        return Objects.requireNonNull(byName.get(name), name);
    }

    /** The first one, and the others. */
    public Collection<Installation> all() {
        return byName.values();
    }

    @Override
    public void close() {
        byName.values().forEach(Installation::close);
    }

    /** Makes a bean {@code Jobs} for each of the others. */
    public static final class Registrar implements BeanDefinitionRegistryPostProcessor {
        @Override
        public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
            ConfigurableListableBeanFactory beans = (ConfigurableListableBeanFactory) registry;
            for (String each : beans.getBeanNamesForType(HowdahInstallation.class, true, false)) {
                if (registry.containsBeanDefinition(each + "Jobs")) continue;
                registry.registerBeanDefinition(
                        each + "Jobs",
                        BeanDefinitionBuilder.genericBeanDefinition(
                                        Jobs.class,
                                        () -> beans.getBean(SpringInstallations.class)
                                                .of(each)
                                                .jobs())
                                .setDestroyMethodName("")
                                .getBeanDefinition());
            }
        }

        @Override
        public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {}
    }
}
