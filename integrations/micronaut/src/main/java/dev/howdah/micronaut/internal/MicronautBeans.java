package dev.howdah.micronaut.internal;

import dev.howdah.beans.JobHandler;
import dev.howdah.beans.JobSchedule;
import dev.howdah.beans.internal.handler.BeanMethod;
import dev.howdah.beans.internal.handler.BeanMethods;
import dev.howdah.beans.internal.node.ApplicationBeans;
import dev.howdah.job.Kind;
import io.micronaut.context.ApplicationContext;
import io.micronaut.core.convert.ConversionService;
import io.micronaut.inject.BeanDefinition;
import io.micronaut.inject.ExecutableMethod;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The beans of Micronaut, and their methods that handle jobs. Safe for use by many threads. */
@Singleton
final class MicronautBeans implements ApplicationBeans, BeanMethods.Texts {
    private final ApplicationContext context;

    MicronautBeans(ApplicationContext context) {
        this.context = context;
    }

    @Override
    public <T> List<T> all(Class<T> type) {
        return List.copyOf(context.getBeansOfType(type));
    }

    @Override
    public String resolve(String text) {
        return context.getEnvironment().getPlaceholderResolver().resolveRequiredPlaceholders(text);
    }

    @Override
    public Duration duration(String text) {
        return ConversionService.SHARED.convertRequired(text, Duration.class);
    }

    /** Those of all data sources. */
    List<BeanMethod> methods() {
        List<Kind<?>> declared = new ArrayList<>();
        for (Kind<?> each : all(Kind.class)) declared.add(each);
        BeanMethods methods = new BeanMethods(this, declared);
        for (BeanDefinition<?> each : context.getAllBeanDefinitions()) read(each, methods);
        return methods.all();
    }

    private <T> void read(BeanDefinition<T> bean, BeanMethods methods) {
        for (ExecutableMethod<T, ?> each : bean.getExecutableMethods())
            if (each.hasAnnotation(JobHandler.class)
                    || each.hasAnnotation(JobSchedule.class)
                    || each.hasAnnotation(JobSchedule.All.class))
                methods.read(each.getTargetMethod(), values -> each.invoke(context.getBean(bean), values));
    }
}
