package dev.howdah.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.SourceTree;
import dev.howdah.quarkus.runtime.HowdahConfig;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** The guides name all properties, which are the same in Quarkus and in Micronaut. */
class PropertiesTest {
    private static void collect(Class<?> group, String prefix, List<String> names) {
        for (Method each : group.getDeclaredMethods()) {
            String name = prefix + each.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
            if (each.getReturnType().isInterface() && each.getReturnType().getDeclaringClass() == HowdahConfig.class)
                collect(each.getReturnType(), name + ".", names);
            else names.add(name);
        }
    }

    @Test
    void guides_nameAllProperties() throws Exception {
        List<String> names = new ArrayList<>();
        collect(HowdahConfig.Of.class, "", names);
        assertThat(names).contains("jobs.keep-done", "health.max-lag").hasSizeGreaterThan(15);
        String quarkus = Files.readString(SourceTree.ROOT.resolve("docs/guide/quarkus.md"));
        String micronaut = Files.readString(SourceTree.ROOT.resolve("docs/guide/micronaut.md"));
        String reader = Files.readString(SourceTree.ROOT.resolve(
                "integrations/micronaut/src/main/java/dev/howdah/micronaut/internal/SettingsReader.java"));
        for (String each : names) {
            assertThat(quarkus).contains("`quarkus.howdah." + each + "`");
            assertThat(micronaut).contains("`howdah." + each + "`");
            assertThat(reader).contains(each + "\"");
        }
    }
}
