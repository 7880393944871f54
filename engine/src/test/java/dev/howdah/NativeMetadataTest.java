package dev.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.fixtures.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the library tells a native image of itself is so, and is all that it calls by reflection. No image is built. */
class NativeMetadataTest {
    private static final Pattern BY_NAME = Pattern.compile("Class\\.forName\\(\\s*\"([^\"]+)\"");

    private final JsonNode metadata = read();

    private static JsonNode read() {
        try (var in = NativeMetadataTest.class.getResourceAsStream(
                "/META-INF/native-image/dev.howdah/howdah-engine/reachability-metadata.json")) {
            return new ObjectMapper().readTree(Objects.requireNonNull(in));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Class<?> type(String name) throws ClassNotFoundException {
        return Class.forName(name, false, NativeMetadataTest.class.getClassLoader());
    }

    @Test
    void types_areThere_withTheirMethods() throws Exception {
        for (JsonNode each : metadata.path("reflection")) {
            JsonNode proxy = each.path("type").path("proxy");
            if (proxy.isArray()) {
                assertThat(type(proxy.get(0).asText()).isInterface()).isTrue();
                continue;
            }
            String name = each.path("type").asText();
            // Java 17 has none of this.
            if (name.equals("java.lang.Thread$Builder") || name.equals("java.lang.Thread")) continue;
            Class<?> type = type(name);
            for (JsonNode method : each.path("methods")) {
                int parameters = method.path("parameterTypes").size();
                String wanted = method.path("name").asText();
                assertThat(
                                wanted.equals("<init>")
                                        ? Stream.of(type.getConstructors())
                                                .anyMatch(one -> one.getParameterCount() == parameters)
                                        : Stream.of(type.getMethods())
                                                .anyMatch(one -> one.getName().equals(wanted)
                                                        && one.getParameterCount() == parameters))
                        .as(name + "." + wanted)
                        .isTrue();
            }
        }
    }

    @Test
    void names_inTheSources_areInTheMetadata() throws IOException {
        Set<String> found = new TreeSet<>();
        for (Path each : SourceTree.files(SourceTree.ROOT.resolve("engine/src/main/java"), ".java")) {
            Matcher name = BY_NAME.matcher(Files.readString(each));
            while (name.find()) found.add(name.group(1));
        }
        assertThat(found).contains("io.opentelemetry.context.Context");
        assertThat(metadata.toString())
                .contains(found.stream().map(each -> '"' + each + '"').toList());
    }

    @Test
    void statements_areResources() {
        assertThat(metadata.path("resources").get(0).path("glob").asText()).isEqualTo("dev/howdah/**/*.sql");
        assertThat(NativeMetadataTest.class.getResource("/dev/howdah/job/internal/store/wait.sql"))
                .isNotNull();
    }
}
