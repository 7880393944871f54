package dev.howdah.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.ChildJvm;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shop as Spring prepares it for a native image: processed ahead of time, and started from what came of that, on a JVM. */
@PostgresTest
@Tag("long")
class AheadOfTimeTest {
    private static final Duration PATIENCE = Patience.LIMIT;
    private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

    private final TestDatabase database;

    AheadOfTimeTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void shop_processedAheadOfTime_confirmsOrders(@TempDir Path directory) throws Exception {
        Path sources = directory.resolve("sources");
        Path resources = directory.resolve("resources");
        Path classes = Files.createDirectories(directory.resolve("classes"));
        String address = "--spring.datasource.url=jdbc:postgresql://"
                + database.uri().substring("postgresql://postgres@".length());
        try (ChildJvm processor = ChildJvm.start(
                List.of(),
                "org.springframework.boot.SpringApplicationAotProcessor",
                List.of(),
                Shop.class.getName(),
                sources.toString(),
                resources.toString(),
                classes.toString(),
                "dev.howdah",
                "shop",
                address)) {
            processor.lines();
            assertThat(processor.awaitGone()).as(processor.log()).isZero();
        }
        String hints = String.join("\n", texts(resources, ".json"));
        assertThat(hints)
                .contains("dev.howdah.examples.shop.Confirmation")
                .contains("dev\\/howdah\\/**\\/*.sql")
                .containsPattern("\"name\": \"confirm\"");
        compile(sources, classes);

        try (ChildJvm shop = ChildJvm.start(
                List.of(classes, resources),
                Shop.class.getName(),
                List.of("-Dspring.aot.enabled=true"),
                "--server.port=0",
                "--spring.datasource.username=postgres",
                address)) {
            Collection<String> lines = shop.lines();
            URI page = URI.create("http://127.0.0.1:" + port(lines) + "/");
            assertThat(String.join("\n", lines)).contains("Starting AOT-processed Shop");
            HttpClient client = HttpClient.newBuilder()
                    .followRedirects(HttpClient.Redirect.NORMAL)
                    .build();
            HttpResponse<String> placed = client.send(
                    HttpRequest.newBuilder(page.resolve("/orders"))
                            .header("Content-Type", "application/x-www-form-urlencoded")
                            .POST(HttpRequest.BodyPublishers.ofString("customer=Ann"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(placed.statusCode()).as(placed.body()).isEqualTo(200);
            await().atMost(PATIENCE)
                    .until(() -> "confirmed".equals(database.value("SELECT string_agg(state, ',') FROM orders")));
            assertThat(database.value("SELECT string_agg(name, ',') FROM howdah.schedule"))
                    .isEqualTo("report");
        }
    }

    private static String port(Collection<String> lines) {
        return await().atMost(PATIENCE)
                .until(() -> PORT.matcher(String.join("\n", lines)).results().findFirst(), Optional::isPresent)
                .map((MatchResult found) -> found.group(1))
                .orElseThrow();
    }

    private static List<Path> files(Path directory, String ending) throws Exception {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(each -> each.toString().endsWith(ending)).toList();
        }
    }

    private static List<String> texts(Path directory, String ending) throws Exception {
        List<String> texts = new ArrayList<>();
        for (Path each : files(directory, ending)) texts.add(Files.readString(each));
        return texts;
    }

    private static void compile(Path sources, Path classes) throws Exception {
        JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "a JDK");
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            boolean done = compiler.getTask(
                            said,
                            files,
                            null,
                            List.of(
                                    "-proc:none",
                                    "-nowarn",
                                    "-cp",
                                    System.getProperty("java.class.path"),
                                    "-d",
                                    classes.toString()),
                            null,
                            files.getJavaFileObjectsFromPaths(files(sources, ".java")))
                    .call();
            assertThat(done).as(said.toString()).isTrue();
        }
    }
}
