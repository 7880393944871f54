package dev.howdah.reach.internal.jdbc;

import dev.howdah.reach.internal.secret.SecretSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The drivers of a folder: a jar stands for itself, and a folder in it for the jars that belong together. */
final class DriverJars {
    private DriverJars() {}

    /**
     * The paths of them, by group; none where there is no such folder.
     *
     * @throws IllegalArgumentException if the folder cannot be read, or others can change something in it
     */
    static List<List<String>> of(Path folder) {
        List<List<String>> groups = new ArrayList<>();
        if (!Files.isDirectory(folder)) return groups;
        SecretSource.refuseWritable(folder);
        for (Path each : in(folder)) {
            if (Files.isDirectory(each)) {
                SecretSource.refuseWritable(each);
                groups.add(in(each).stream()
                        .filter(DriverJars::isJar)
                        .map(DriverJars::checked)
                        .toList());
            } else if (isJar(each)) {
                groups.add(List.of(checked(each)));
            }
        }
        return groups;
    }

    private static boolean isJar(Path path) {
        return path.toString().endsWith(".jar") && Files.isRegularFile(path);
    }

    private static String checked(Path jar) {
        SecretSource.refuseWritable(jar);
        return jar.toAbsolutePath().toString();
    }

    private static List<Path> in(Path folder) {
        try (Stream<Path> all = Files.list(folder)) {
            return all.sorted().toList();
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "cannot read " + folder + ": " + e.getClass().getSimpleName(), e);
        }
    }
}
