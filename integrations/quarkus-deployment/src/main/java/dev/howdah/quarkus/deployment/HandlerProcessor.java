package dev.howdah.quarkus.deployment;

import dev.howdah.beans.internal.handler.BeanMethods;
import dev.howdah.quarkus.runtime.ConfigTexts;
import io.quarkus.arc.deployment.BeanDiscoveryFinishedBuildItem;
import io.quarkus.arc.deployment.InvokerFactoryBuildItem;
import io.quarkus.arc.deployment.SyntheticBeanBuildItem;
import io.quarkus.arc.processor.BeanInfo;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.nativeimage.ReflectiveClassBuildItem;
import io.quarkus.deployment.builditem.nativeimage.ReflectiveHierarchyBuildItem;
import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;

/** Finds the methods of beans that handle jobs, and refuses those that cannot. */
class HandlerProcessor {
    /** @param before makes none: this step comes before those that register beans, after which there are no invokers */
    @BuildStep
    void find(
            BeanDiscoveryFinishedBuildItem beans,
            InvokerFactoryBuildItem invokers,
            BuildProducer<SyntheticBeanBuildItem> before,
            BuildProducer<FoundMethodBuildItem> found,
            BuildProducer<ReflectiveClassBuildItem> reflective,
            BuildProducer<ReflectiveHierarchyBuildItem> payloads) {
        BeanMethods methods = new BeanMethods(ConfigTexts.RUN_TIME, List.of());
        for (BeanInfo bean : beans.beanStream().classBeans()) {
            if (!FoundMethodBuildItem.isIn(bean.getImplClazz())) continue;
            Set<MethodInfo> marked = new LinkedHashSet<>();
            for (MethodInfo each : bean.getImplClazz().methods())
                if (each.hasAnnotation(HowdahProcessor.JOB_HANDLER)
                        || each.hasAnnotation(HowdahProcessor.JOB_SCHEDULE)
                        || each.hasAnnotation(HowdahProcessor.JOB_SCHEDULES)) marked.add(each);
            for (MethodInfo each : marked) {
                Method method = method(each);
                // By the code that reads it at each start, so that what is refused there is refused now.
                if (!BeanMethods.hasPlaceholders(method)) methods.read(method, values -> null);
                for (Type type : each.parameterTypes())
                    payloads.produce(ReflectiveHierarchyBuildItem.builder(type)
                            .source("a parameter of the handler " + each)
                            .build());
                found.produce(new FoundMethodBuildItem(
                        method,
                        invokers.createInvoker(bean, each)
                                .withInstanceLookup()
                                .build()
                                .getClassName()));
            }
            reflective.produce(
                    ReflectiveClassBuildItem.builder(bean.getImplClazz().name().toString())
                            .methods()
                            .build());
        }
    }

    /** The class itself is asked: what is checked here is checked at each start by the same code. */
    private static Method method(MethodInfo of) {
        try {
            ClassLoader loader = Thread.currentThread().getContextClassLoader();
            Class<?> declaring = Class.forName(of.declaringClass().name().toString(), false, loader);
            for (Method each : declaring.getDeclaredMethods())
                if (each.getName().equals(of.name()) && isSame(each, of)) return each;
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
        throw new IllegalStateException(of + " is not in its class");
    }

    private static boolean isSame(Method method, MethodInfo info) {
        List<Type> types = info.parameterTypes();
        Class<?>[] classes = method.getParameterTypes();
        if (types.size() != classes.length) return false;
        for (int i = 0; i < classes.length; i++)
            if (!types.get(i).name().toString().equals(classes[i].getName())) return false;
        return true;
    }
}
