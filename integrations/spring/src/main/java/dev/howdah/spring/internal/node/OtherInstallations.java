package dev.howdah.spring.internal.node;

import dev.howdah.job.Jobs;
import dev.howdah.spring.HowdahInstallation;
import dev.howdah.spring.HowdahProperties;
import dev.howdah.spring.internal.handler.HandlerMethods;
import dev.howdah.spring.internal.transaction.SpringTransactions;
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

/** The installations of an application beside that of its data source. Made once; safe for use by many threads then. */
public final class OtherInstallations {
    /** What runs the jobs of one, and what sees to its tables. */
    record Parts(NodeBuilders builders, TablesGuard tables) {}

    private final Map<String, Parts> byName = new LinkedHashMap<>();

    public OtherInstallations(
            ConfigurableListableBeanFactory beans,
            HowdahProperties properties,
            ObjectProvider<PlatformTransactionManager> managers,
            HandlerMethods methods,
            Environment environment) {
        beans.getBeansOfType(HowdahInstallation.class).forEach((name, one) -> {
            ChosenDataSource sources = new ChosenDataSource(one.source(), one.sessions());
            byName.put(
                    name,
                    new Parts(
                            new NodeBuilders(
                                    beans,
                                    properties,
                                    sources,
                                    SpringTransactions.of(one.source(), managers),
                                    methods,
                                    environment,
                                    name,
                                    one.schema()),
                            new TablesGuard(beans, one.sessions(), properties, one.schema())));
        });
    }

    Iterable<Parts> all() {
        return byName.values();
    }

    /** What adds jobs to that one. */
    Jobs adding(String name) {
        Parts parts = Objects.requireNonNull(byName.get(name), name);
        return ApplicationNode.adding(parts.builders(), parts.tables());
    }

    /** Makes a bean {@code Jobs} for each. */
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
                                        () -> beans.getBean(OtherInstallations.class)
                                                .adding(each))
                                .setDestroyMethodName("close")
                                .getBeanDefinition());
            }
        }

        @Override
        public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {}
    }
}
