package dev.howdah.benchmarks;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Starts processes of one worker. Twice a second that would take more of two processors than the sweep does: so they share classes that are
 * loaded already (an archive of the JVM's), which is made by the first of them, which is never killed. An archive takes no directories: they are
 * packed.
 */
final class SweepVictims implements AutoCloseable {
    private static final List<String> SMALL = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto");

    private final String database;
    private final Path directory;
    private final String classPath;
    private final Path archive;

    private SweepVictims(String database, Path directory, String classPath) {
        this.database = database;
        this.directory = directory;
        this.classPath = classPath;
        this.archive = directory.resolve("classes.jsa");
    }

    /** @param table in which everything may be changed */
    static SweepVictims of(Bench bench, SweepTable table) throws Exception {
        Path directory = Files.createTempDirectory("howdah-victims");
        List<String> path = new ArrayList<>();
        for (String each : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path entry = Path.of(each);
            path.add(
                    Files.isDirectory(entry)
                            ? packed(entry, directory.resolve(path.size() + ".jar"))
                                    .toString()
                            : each);
        }
        SweepVictims victims = new SweepVictims(
                bench.daemon().database().toString(), directory, String.join(File.pathSeparator, path));
        table.fill(1_000);
        int exit = victims.start(
                        "-XX:ArchiveClassesAtExit=" + victims.archive,
                        "first-" + System.nanoTime(),
                        directory.resolve("first"))
                .waitFor();
        if (exit != 0) throw new IllegalStateException("the first process has failed, exit code " + exit);
        table.check(1_000);
        return victims;
    }

    private static Path packed(Path classes, Path jar) throws IOException {
        List<Path> files;
        try (Stream<Path> walked = Files.walk(classes)) {
            files = walked.filter(Files::isRegularFile).collect(Collectors.toList());
        }
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream packed = new JarOutputStream(out)) {
            for (Path each : files) {
                packed.putNextEntry(
                        new JarEntry(classes.relativize(each).toString().replace(File.separatorChar, '/')));
                Files.copy(each, packed);
                packed.closeEntry();
            }
        }
        return jar;
    }

    /**
     * A process that works on a sweep until it is done.
     *
     * @param effects the file that it writes rows to
     */
    Process start(String sweep, Path effects) throws IOException {
        return start("-XX:SharedArchiveFile=" + archive, sweep, effects);
    }

    private Process start(String option, String sweep, Path effects) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(SMALL);
        command.add(option);
        command.addAll(List.of("-cp", classPath, SweepVictim.class.getName(), database, sweep, effects.toString()));
        return new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    @Override
    public void close() throws IOException {
        try (Stream<Path> walked = Files.walk(directory)) {
            for (Path each : walked.sorted(Comparator.reverseOrder()).toList()) Files.delete(each);
        }
    }
}
