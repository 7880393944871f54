package dev.howdah.reach.internal.child;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Small programs of the system that start others with less rights or more order. */
public final class SystemTools {
    private static final List<Path> FOLDERS = List.of(Path.of("/usr/local/bin"), Path.of("/usr/bin"), Path.of("/bin"));

    private SystemTools() {}

    /** Its path; null if it is not there. */
    @Nullable
    public static String find(String name) {
        return FOLDERS.stream()
                .map(each -> each.resolve(name))
                .filter(Files::isExecutable)
                .findFirst()
                .map(Path::toString)
                .orElse(null);
    }

    /** Its path. */
    static String needed(String name, String why) {
        String found = find(name);
        if (found != null) return found;
        throw new IllegalArgumentException(
                why + " needs the program " + name + ", of the package util-linux, which is not in /usr/bin");
    }
}
