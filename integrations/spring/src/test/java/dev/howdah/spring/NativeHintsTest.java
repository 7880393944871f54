package dev.howdah.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.spring.internal.config.HowdahAutoConfiguration;
import java.lang.reflect.Constructor;
import java.sql.Connection;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.ExecutableHint;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeHint;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.context.annotation.ImportRuntimeHints;

/** What a native image is told; whether one can be built is not tested. */
class NativeHintsTest {
    record Payload(String email) {}

    static class Bean {
        @JobHandler("mail")
        void mail(Payload payload) {}
    }

    @Test
    void hints_nameTheSqlAndTheHandlers() throws Exception {
        RuntimeHints hints = new RuntimeHints();
        Class<? extends RuntimeHintsRegistrar> registrar = HowdahAutoConfiguration.class.getAnnotation(
                        ImportRuntimeHints.class)
                .value()[0];
        Constructor<? extends RuntimeHintsRegistrar> constructor = registrar.getDeclaredConstructor();
        constructor.setAccessible(true);
        constructor.newInstance().registerHints(hints, getClass().getClassLoader());
        new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, Bean.class);

        for (String each :
                new String[] {"dev/howdah/job/internal/store/job.sql", "dev/howdah/job/internal/store/001-job/add.sql"})
            assertThat(RuntimeHintsPredicates.resource().forResource(each)).accepts(hints);
        for (Class<?> each :
                new Class<?>[] {Connection.class, dev.howdah.beans.JobHandler.class, dev.howdah.beans.JobSchedule.class
                })
            assertThat(RuntimeHintsPredicates.proxies().forInterfaces(each)).accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onType(Payload.class)).accepts(hints);
        assertThat(hint(hints, TypeReference.of(Bean.class)).methods().map(ExecutableHint::getName))
                .containsExactly("mail");
        for (String each : new String[] {"LiveSockets", "PromptSockets"})
            assertThat(hint(hints, TypeReference.of("dev.howdah.internal.conninfo." + each))
                            .getMemberCategories())
                    .containsExactly(MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS);
        assertThat(RuntimeHintsPredicates.reflection().onType(io.opentelemetry.api.trace.Span.class))
                .accepts(hints);
    }

    /** What Spring's annotations say is read by the annotations of all frameworks. */
    @Test
    void annotations_haveTheAttributesOfAllFrameworks() {
        assertThat(attributes(JobSchedule.class)).isEqualTo(attributes(dev.howdah.beans.JobSchedule.class));
        Set<String> ours = new TreeSet<>();
        for (String each : attributes(JobHandler.class)) ours.add(each.replace(" installation ", " dataSource "));
        assertThat(ours).isEqualTo(attributes(dev.howdah.beans.JobHandler.class));
    }

    private static Set<String> attributes(Class<?> annotation) {
        return Stream.of(annotation.getDeclaredMethods())
                .map(each -> each.getGenericReturnType().getTypeName() + " " + each.getName() + " "
                        + Arrays.deepToString(new @Nullable Object[] {each.getDefaultValue()}))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static TypeHint hint(RuntimeHints hints, TypeReference type) {
        return Objects.requireNonNull(hints.reflection().getTypeHint(type), type.getName());
    }
}
