package dev.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.SourceTree;
import dev.howdah.fixtures.TestDatabase;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Exports;
import java.lang.module.ModuleFinder;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The library as a module: what it exports, and that a program on the module path works with it. */
@PostgresTest
class ModuleTest {
    /** What the library needs at run time, and what a program brings for its log. */
    private static final Set<String> LIBRARIES = Set.of(
            "jackson-annotations",
            "jackson-core",
            "jackson-databind",
            "jspecify",
            "postgresql",
            "saslprep",
            "scram-client",
            "scram-common",
            "slf4j-api",
            "slf4j-simple",
            "stringprep");

    private static final Pattern MODULE = Pattern.compile("<Automatic-Module-Name>([^<]+)<");

    private static final Pattern INTERNAL = Pattern.compile("\\b(dev\\.howdah\\.internal\\.[a-z]+)\\.[A-Z]");

    private static final String DESCRIPTOR = "module shop { requires dev.howdah; requires org.postgresql.jdbc;"
            + " opens shop to com.fasterxml.jackson.databind; }";

    private static final String PROGRAM = """
            package shop;

            import dev.howdah.job.Jobs;
            import dev.howdah.job.Kind;
            import java.util.concurrent.CountDownLatch;
            import org.postgresql.ds.PGSimpleDataSource;

            public final class Shop {
                record Order(int number) {}

                public static void main(String[] arguments) throws Exception {
                    PGSimpleDataSource source = new PGSimpleDataSource();
                    source.setUrl(arguments[0]);
                    Kind<Order> kind = Kind.of("order", Order.class);
                    CountDownLatch done = new CountDownLatch(1);
                    try (Jobs jobs = Jobs.on(source)
                            .handle(kind, (order, job) -> {
                                System.out.println("order " + order.number() + " in " + Jobs.class.getModule());
                                done.countDown();
                            })
                            .start()) {
                        jobs.add(kind, new Order(7));
                        done.await();
                    }
                }
            }
            """;

    private static Path engine() {
        try {
            return Path.of(Database.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String modulePath() {
        List<String> path = new ArrayList<>(List.of(engine().toString()));
        for (String each : System.getProperty("java.class.path").split(File.pathSeparator)) {
            String name = Path.of(each).getFileName().toString();
            if (LIBRARIES.contains(name.replaceAll("-[0-9].*", ""))) path.add(each);
        }
        return String.join(File.pathSeparator, path);
    }

    private static ModuleDescriptor descriptor() {
        return ModuleFinder.of(engine()).find("dev.howdah").orElseThrow().descriptor();
    }

    /** What the compiler says of a module that has this class; empty if nothing. */
    private static String compile(Path directory, String program) throws IOException {
        Path sources = Files.createDirectories(directory.resolve("src/shop"));
        Files.writeString(sources.resolveSibling("module-info.java"), DESCRIPTOR);
        Files.writeString(sources.resolve("Shop.java"), program);
        StringWriter said = new StringWriter();
        PrintWriter out = new PrintWriter(said);
        ToolProvider.findFirst("javac")
                .orElseThrow()
                .run(
                        out,
                        out,
                        "-nowarn",
                        "-proc:none",
                        "-p",
                        modulePath(),
                        "-d",
                        directory.resolve("classes").toString(),
                        sources.resolveSibling("module-info.java").toString(),
                        sources.resolve("Shop.java").toString());
        return said.toString();
    }

    private static Set<String> packages() {
        Path root = engine();
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(each -> each.toString().endsWith(".class"))
                    .map(each -> root.relativize(each.getParent()).toString().replace(File.separatorChar, '.'))
                    .filter(each -> !each.isEmpty())
                    .collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void module_exportsTheApiAndNothingElse() {
        Set<String> api = packages().stream()
                .filter(each -> !each.contains(".internal"))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(descriptor().exports().stream()
                        .filter(each -> !each.isQualified())
                        .map(Exports::source))
                .containsExactlyInAnyOrderElementsOf(api);
        assertThat(descriptor().exports().stream().filter(Exports::isQualified).map(Exports::source))
                .as("packages for chosen modules are shared ones, and of no feature")
                .allMatch(each -> each.startsWith("dev.howdah.internal."));
    }

    /** Javadoc and programs on the module path see the modules as they are named here; the compiler of this build does not. */
    @Test
    void internalPackages_areExportedToTheModulesThatUseThem() throws IOException {
        Map<String, Set<String>> used = new TreeMap<>();
        // The driver makes objects of classes that a connection's properties name.
        used.put("dev.howdah.internal.conninfo", new TreeSet<>(Set.of("org.postgresql.jdbc")));
        Set<String> here = packages();
        for (Path module : SourceTree.modules()) {
            String pom = Files.readString(module.resolve("pom.xml"));
            if (pom.contains("<maven.deploy.skip>true") || module.endsWith("engine")) continue;
            Matcher name = MODULE.matcher(pom);
            for (Path file : SourceTree.files(module.resolve("src/main/java"), ".java"))
                for (MatchResult each :
                        INTERNAL.matcher(Files.readString(file)).results().toList()) {
                    if (!here.contains(each.group(1))) continue;
                    assertThat(name.find(0))
                            .as("the module's name of %s", module)
                            .isTrue();
                    used.computeIfAbsent(each.group(1), key -> new TreeSet<>()).add(name.group(1));
                }
        }
        assertThat(descriptor().exports().stream()
                        .filter(Exports::isQualified)
                        .collect(Collectors.toMap(Exports::source, each -> Set.copyOf(each.targets()))))
                .isEqualTo(used);
    }

    @Test
    void program_onTheModulePath_addsAndHandlesJobs(TestDatabase database, @TempDir Path directory) throws Exception {
        assertThat(compile(directory, PROGRAM)).isEmpty();
        Path out = directory.resolve("out");
        Process program = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-p",
                        modulePath() + File.pathSeparator + directory.resolve("classes"),
                        "-m",
                        "shop/shop.Shop",
                        "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name()
                                + "?user=postgres")
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        try {
            assertThat(program.waitFor(120, TimeUnit.SECONDS)).isTrue();
        } finally {
            program.destroyForcibly();
        }
        assertThat(Files.readString(out)).contains("order 7 in module dev.howdah");
        assertThat(program.exitValue()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"dev.howdah.job.internal.lane.Lane", "dev.howdah.internal.sql.SqlFile"})
    void internalPackage_isNotVisibleToAProgram(String name, @TempDir Path directory) throws IOException {
        String program = "package shop; public final class Shop { Class<?> hidden = " + name + ".class; }";
        assertThat(compile(directory, program))
                .contains("package " + name.substring(0, name.lastIndexOf('.')) + " is not visible");
    }
}
