package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher beside a small jar that says with what it was called. */
class LauncherTest {
    private static final Path LAUNCHER =
            Path.of("..", "howdah").toAbsolutePath().normalize();

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path home;

    private Path directory = LAUNCHER;

    /** What the jar holds. */
    public static final class Echo {
        private Echo() {}

        public static void main(String[] arguments) {
            PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
            if (List.of(arguments).contains("called")) out.println(System.getProperty("howdah.command"));
            else
                out.println(
                        ProcessHandle.current().pid() + " " + List.of(arguments) + " " + System.getProperty("mark"));
        }
    }

    @BeforeEach
    void install() throws IOException {
        directory = Files.createDirectories(home.resolve("with some blanks"));
        Files.copy(LAUNCHER, directory.resolve("howdah"), StandardCopyOption.COPY_ATTRIBUTES);
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, Echo.class.getName());
        String entry = Echo.class.getName().replace('.', '/') + ".class";
        try (OutputStream file = Files.newOutputStream(directory.resolve("howdah.jar"));
                JarOutputStream jar = new JarOutputStream(file, manifest)) {
            jar.putNextEntry(new JarEntry(entry));
            try (InputStream code = Objects.requireNonNull(Echo.class.getResourceAsStream("/" + entry))) {
                code.transferTo(jar);
            }
        }
    }

    private HowdahProcess launch(Path script, Map<String, String> environment, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(script.toString()));
        command.addAll(List.of(arguments));
        HowdahProcess process = HowdahProcess.run(home, environment, command);
        process.exitCode();
        return process;
    }

    private static Map<String, String> thisJava() {
        return Map.of("HOWDAH_JAVA", System.getProperty("java.home"));
    }

    @Test
    void launcher_pathWithBlanks_becomesJavaWithItsArguments() throws Exception {
        HowdahProcess run = launch(directory.resolve("howdah"), thisJava(), "sql", "SELECT 'a b'", "", "日本");
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).isEqualTo(run.pid() + " [sql, SELECT 'a b', , 日本] null\n");
    }

    @Test
    void launcher_saysHowItWasCalled() throws Exception {
        assertThat(shell("cd 'with some blanks' && ./howdah called")).isEqualTo("./howdah\n");
        assertThat(shell("'with some blanks/howdah' called")).isEqualTo("with some blanks/howdah\n");
        assertThat(shell("cd 'with some blanks' && sh howdah called")).isEqualTo("howdah\n");
        assertThat(shell("PATH=\"$PWD/with some blanks:$PATH\" && howdah called"))
                .isEqualTo("howdah\n");
    }

    /** The output of a script in the home directory, which says nothing else. */
    private String shell(String script) throws Exception {
        HowdahProcess run = launch(Path.of("/bin/sh"), thisJava(), "-c", "cd \"$HOME\" && " + script);
        assertThat(run.err()).isEmpty();
        return run.out();
    }

    // as in the image, in which a command runs beside the first process
    @Test
    void launcher_whereProgramsAreFew_doesWithoutThem() throws Exception {
        Path programs = Files.createDirectories(home.resolve("programs"));
        for (String each : List.of("cat", "head", "id", "ls", "readlink", "sed"))
            Files.createSymbolicLink(programs.resolve(each), Path.of("/usr/bin", each));
        assertThat(shell("PATH=$HOME/programs && 'with some blanks/howdah' called"))
                .isEqualTo("with some blanks/howdah\n");
    }

    @Test
    void launcher_throughSymbolicLinks_findsItsJar() throws Exception {
        Path links = Files.createDirectories(home.resolve("links"));
        Files.createSymbolicLink(links.resolve("one"), Path.of("../with some blanks/howdah"));
        Path link = Files.createSymbolicLink(home.resolve("two"), links.resolve("one"));
        assertThat(launch(link, thisJava(), "--version").out()).contains("[--version]");
    }

    @Test
    void launcher_moreOptionsForJava_arePassedOn() throws Exception {
        Map<String, String> environment =
                Map.of("HOWDAH_JAVA", System.getProperty("java.home"), "HOWDAH_JAVA_OPTS", "-Dmark=made -Xmx32m");
        assertThat(launch(directory.resolve("howdah"), environment).out()).endsWith("[] made\n");
    }

    @Test
    void launcher_javaTooOld_saysWhatItFound() throws Exception {
        Path old = home.resolve("old");
        Path bin = Files.createDirectories(old.resolve("bin"));
        Files.writeString(old.resolve("release"), "JAVA_VERSION=\"1.8.0_402\"\n");
        Path java = Files.writeString(bin.resolve("java"), "#!/bin/sh\nexit 1\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        HowdahProcess run = launch(directory.resolve("howdah"), Map.of("HOWDAH_JAVA", old.toString()));
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("is not a Java 17 or newer").contains("is Java 8");
    }

    @Test
    void launcher_neitherJarNorSources_saysSo() throws Exception {
        Files.delete(directory.resolve("howdah.jar"));
        HowdahProcess run = launch(directory.resolve("howdah"), thisJava());
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .isEqualTo("howdah: there is neither howdah.jar nor the sources in " + directory.toRealPath() + "\n");
    }

    @Test
    void launcher_sourceThatWasOnlyTouched_isBuiltOnce() throws Exception {
        Path target = Files.createDirectories(directory.resolve("daemon/target"));
        Path jar = Files.move(directory.resolve("howdah.jar"), target.resolve("howdah.jar"));
        Files.setLastModifiedTime(jar, FileTime.from(Instant.parse("2020-01-01T00:00:00Z")));
        Files.writeString(directory.resolve("pom.xml"), "<project/>\n");
        // As Maven does where nothing has changed: nothing.
        Path bin = Files.createDirectories(home.resolve("bin"));
        Path maven = Files.writeString(bin.resolve("mvn"), "#!/bin/sh\necho Apache Maven 3.9.9\n");
        assertThat(maven.toFile().setExecutable(true)).isTrue();
        Map<String, String> environment =
                Map.of("HOWDAH_JAVA", System.getProperty("java.home"), "PATH", bin + ":" + System.getenv("PATH"));
        assertThat(launch(directory.resolve("howdah"), environment).err()).contains("building");
        HowdahProcess again = launch(directory.resolve("howdah"), environment, "x");
        assertThat(again.err()).isEmpty();
        assertThat(again.out()).contains("[x]");
    }

    @Test
    void launcher_sourcesWithoutMaven_saysWhatIsMissing() throws Exception {
        Files.delete(directory.resolve("howdah.jar"));
        Files.writeString(directory.resolve("pom.xml"), "<project/>\n");
        Path bin = Files.createDirectories(home.resolve("bin"));
        // Everything the launcher may want except Maven.
        for (String tool : List.of(
                "sh", "sed", "head", "find", "readlink", "mkdir", "id", "awk", "cat", "flock", "tail", "locale")) {
            Path script =
                    Files.writeString(bin.resolve(tool), "#!/bin/sh\nPATH=/usr/bin:/bin exec " + tool + " \"$@\"\n");
            assertThat(script.toFile().setExecutable(true)).isTrue();
        }
        HowdahProcess run = launch(
                directory.resolve("howdah"),
                Map.of("HOWDAH_JAVA", System.getProperty("java.home"), "PATH", bin.toString()));
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .isEqualTo("howdah: Maven is needed to build Howdah and there is no mvn on the PATH:"
                        + " install Maven 3.8.7 or newer\n");
    }
}
