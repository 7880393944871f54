package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that a generator of others makes of the OpenAPI document: it compiles, and calls the server. */
@Tag("long")
class GeneratedClientTest extends ApiTestBase {
    /** Copied there by Maven before the tests. */
    private static final Path GENERATOR = Path.of("target/openapi-generator-cli.jar");

    GeneratedClientTest(TestDatabase database) {
        super(database);
    }

    @Override
    void install() throws SQLException {
        ConsoleFixtures.tasksAndJobs(database);
    }

    @Override
    ConsoleBuilder console() {
        return ConsoleFixtures.console(database);
    }

    @Test
    void client_generatedFromTheDocument_callsTheServer(@TempDir Path folder) throws Exception {
        database.execute("SELECT setval(pg_get_serial_sequence('howdah_internal.job', 'id'), 9007199254740993)");
        generate(folder);
        Path classes = compile(folder);
        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {classes.toUri().toURL()}, getClass().getClassLoader())) {
            Callable<?> client = (Callable<?>) loader.loadClass("dev.howdah.generated.UseOfTheClient")
                    .getConstructor(String.class)
                    .newInstance(console.address() + "/api/v1");
            // The id is beyond what a double holds.
            assertThat(client.call())
                    .isEqualTo(
                            List.of("9007199254740994", "12345678901234567890.10", "waiting", "410", "done", "true"));
        }
        assertThat(database.value("SELECT count(*) FROM task WHERE input = 'SELECT 42'"))
                .isEqualTo("1");
    }

    private void generate(Path folder) throws IOException, InterruptedException {
        assertThat(GENERATOR).as("the generator, which Maven copies").exists();
        Path document = folder.resolve("openapi.json");
        Files.writeString(document, api.raw("GET", "/api/v1/openapi.json", null).body());
        Path said = folder.resolve("said.txt");
        Process generator = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-jar",
                        GENERATOR.toString(),
                        "generate",
                        "--generator-name",
                        "java",
                        "--library",
                        "native",
                        "--input-spec",
                        document.toString(),
                        "--output",
                        folder.resolve("client").toString(),
                        "--global-property",
                        "apis,models,supportingFiles,apiTests=false,modelTests=false,apiDocs=false,modelDocs=false",
                        "--additional-properties",
                        "openApiNullable=false,useJakartaEe=true,invokerPackage=dev.howdah.generated,"
                                + "apiPackage=dev.howdah.generated,modelPackage=dev.howdah.generated.model")
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        assertThat(generator.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(generator.exitValue()).as(Files.readString(said)).isZero();
    }

    private static Path compile(Path folder) throws IOException {
        Path sources = folder.resolve("client/src/main/java");
        Files.copy(
                Path.of("src/test/resources/dev/howdah/console/UseOfTheClient.java.txt"),
                sources.resolve("dev/howdah/generated/UseOfTheClient.java"));
        List<Path> files;
        try (Stream<Path> all = Files.walk(sources)) {
            files = all.filter(each -> each.toString().endsWith(".java")).toList();
        }
        Path classes = Files.createDirectory(folder.resolve("classes"));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            boolean compiled = compiler.getTask(
                            said,
                            manager,
                            null,
                            new ArrayList<>(List.of(
                                    "-d",
                                    classes.toString(),
                                    "-cp",
                                    System.getProperty("java.class.path"),
                                    "-proc:none",
                                    "-nowarn")),
                            null,
                            manager.getJavaFileObjectsFromPaths(files))
                    .call();
            assertThat(compiled).as(said.toString()).isTrue();
        }
        return classes;
    }
}
