package dev.howdah.junit;

import dev.howdah.Database;
import dev.howdah.job.Jobs;
import dev.howdah.junit.internal.database.ClonedDatabase;
import dev.howdah.junit.internal.database.ServerOfTests;
import dev.howdah.junit.internal.database.TemplateDatabase;
import dev.howdah.process.Processes;
import dev.howdah.testkit.TestJobs;
import dev.howdah.testkit.TestProcesses;
import dev.howdah.testkit.TestTasks;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.ReflectionSupport;

/** Gives tests their parameters. What it makes is in the store of the test, which closes it in reverse order. */
final class HowdahExtension implements ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(HowdahExtension.class);
    private static final Set<Class<?>> TYPES =
            Set.of(DataSource.class, Database.class, Jobs.class, TestJobs.class, TestProcesses.class, TestTasks.class);

    /** Tests that name the same share a template. */
    private record Template(Class<? extends HowdahTest.Preparation> preparation, boolean tablesFirst) {}

    HowdahExtension() {}

    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
        return ExtensionContextScope.TEST_METHOD;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return TYPES.contains(parameter.getParameter().getType());
    }

    @Override
    public @Nullable Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Store store = context.getStore(NAMESPACE);
        ClonedDatabase database = kept(store, ClonedDatabase.class, ClonedDatabase.class, () -> clone(context));
        Class<?> type = parameter.getParameter().getType();
        if (type == DataSource.class) return database.dataSource();
        if (type == Database.class) return database.address();
        Object test = parameter.getTarget().orElse(context.getTestInstance().orElse(null));
        return kept(store, type, Object.class, () -> make(type, database, test));
    }

    /** What the store has under that key, made if it has nothing. */
    @SuppressWarnings("deprecation") // what replaces getOrComputeIfAbsent in JUnit 6 is not in JUnit 5
    private static <T> T kept(Store store, Object key, Class<T> type, Supplier<? extends T> made) {
        Kept kept = store.getOrComputeIfAbsent(key, each -> new Kept(made.get()), Kept.class);
        return type.cast(Objects.requireNonNull(kept).value());
    }

    /** Closed by JUnit: by 5.12 for the first of its interfaces, from 5.13 on for the second. */
    @SuppressWarnings("deprecation") // there is no other one in JUnit 5.12
    private record Kept(Object value) implements Store.CloseableResource, AutoCloseable {
        @Override
        public void close() throws Exception {
            if (value instanceof AutoCloseable closeable) closeable.close();
        }
    }

    private static Object make(Class<?> type, ClonedDatabase database, @Nullable Object test) {
        DataSource source = database.dataSource();
        if (type == Jobs.class) return Jobs.on(source).start();
        if (type == TestTasks.class) return TestTasks.of(database.address());
        if (type == TestJobs.class)
            return TestJobs.of(source, test instanceof WithJobs with ? with.jobs(source) : Jobs.on(source));
        return TestProcesses.of(
                source, test instanceof WithProcesses with ? with.processes(source) : Processes.on(source));
    }

    private static ClonedDatabase clone(ExtensionContext context) {
        HowdahTest wanted = AnnotationSupport.findAnnotation(context.getRequiredTestClass(), HowdahTest.class)
                .orElseThrow(() -> new ParameterResolutionException(
                        context.getRequiredTestClass().getName() + " needs @HowdahTest"));
        Store all = context.getRoot().getStore(NAMESPACE);
        String url = url(context);
        ServerOfTests server = kept(all, ServerOfTests.class, ServerOfTests.class, () -> ServerOfTests.start(url));
        Class<? extends HowdahTest.Preparation> preparation = wanted.prepare();
        TemplateDatabase template = kept(
                all,
                new Template(preparation, wanted.tablesFirst()),
                TemplateDatabase.class,
                () -> TemplateDatabase.make(
                        server,
                        source -> ReflectionSupport.newInstance(preparation).prepare(source),
                        wanted.tablesFirst()));
        return template.copy();
    }

    private static @Nullable String url(ExtensionContext context) {
        return context.getConfigurationParameter("howdah.test.url").orElse(System.getenv("HOWDAH_TEST_URL"));
    }
}
