package dev.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.fixtures.SourceTree;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
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

    private static final Pattern RECORD = Pattern.compile("statement\\(\\s*\"[^\"]+\",\\s*(?:\\w+\\.)*(\\w+)\\.class");

    /** With methods that Java 17 has not. */
    private static final Set<String> NEWER =
            Set.of("java.lang.Thread$Builder", "java.lang.Thread", "java.util.concurrent.Executors");

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
            if (NEWER.contains(name)) continue;
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

    /** The components of a record are the parameters of its statement, found by reflection. */
    @Test
    void records_ofStatements_areInTheMetadata() throws Exception {
        Path sources = SourceTree.ROOT.resolve("engine/src/main/java");
        Set<String> wanted = new TreeSet<>();
        Set<String> found = new TreeSet<>();
        for (Path each : SourceTree.files(sources, ".java")) {
            Matcher of = RECORD.matcher(Files.readString(each));
            while (of.find()) wanted.add(of.group(1));
        }
        assertThat(wanted).contains("CommitParameters");
        Set<Class<?>> records = new HashSet<>();
        for (JsonNode each : metadata.path("reflection"))
            if (each.path("allDeclaredMethods").asBoolean())
                records.add(type(each.path("type").asText()));
        for (Class<?> each : records) {
            assertThat(each.isRecord()).as(each.getName()).isTrue();
            found.add(each.getSimpleName());
            for (RecordComponent component : each.getRecordComponents())
                if (component.getType().isRecord()) {
                    assertThat(records).contains(component.getType());
                    wanted.add(component.getType().getSimpleName());
                }
        }
        assertThat(found).isEqualTo(wanted);
    }

    @Test
    void statements_areResources() {
        assertThat(metadata.path("resources").get(0).path("glob").asText()).isEqualTo("dev/howdah/**/*.sql");
        assertThat(NativeMetadataTest.class.getResource("/dev/howdah/job/internal/store/wait.sql"))
                .isNotNull();
    }
}
