package dev.howdah.reach.internal.secret;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The files and variables that hold secrets. */
public final class SecretSource {
    private static final Set<PosixFilePermission> OTHERS =
            Set.of(PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE, PosixFilePermission.GROUP_WRITE);
    private static final Set<PosixFilePermission> WRITERS =
            Set.of(PosixFilePermission.OTHERS_WRITE, PosixFilePermission.GROUP_WRITE);

    private final Path directory;
    private final Map<String, String> environment;
    private final boolean reads;

    /** @param directory for files that are named relatively */
    public SecretSource(Path directory, Map<String, String> environment) {
        this(directory, environment, true);
    }

    private SecretSource(Path directory, Map<String, String> environment, boolean reads) {
        this.directory = directory;
        this.environment = Map.copyOf(environment);
        this.reads = reads;
    }

    /** One that reads no secret: all of them are empty. */
    public static SecretSource closed(Path directory) {
        return new SecretSource(directory, Map.of(), false);
    }

    /** Returns whether it reads secrets, which are then those of the program. */
    public boolean reads() {
        return reads;
    }

    public Path path(String file) {
        return directory.resolve(file).normalize();
    }

    /** Where a secret stands: systemd has a directory of a service's own for those that its unit loads, which comes before ours. */
    Path secretPath(String file) {
        String loaded = environment.get("CREDENTIALS_DIRECTORY");
        if (loaded == null || loaded.isEmpty() || Path.of(file).isAbsolute()) return path(file);
        Path folder = Path.of(loaded).normalize();
        Path path = folder.resolve(file).normalize();
        return path.startsWith(folder) && Files.exists(path) ? path : path(file);
    }

    /**
     * What is in the file.
     *
     * @throws IllegalArgumentException if it cannot be read, or others can read or change it
     */
    public String file(String file) {
        Path path = secretPath(file);
        refuse(path, OTHERS, "read or changed", "600");
        String text = read(path);
        if (text.isBlank()) throw new IllegalArgumentException(path + " is empty");
        return text;
    }

    /** The same of a file that is no secret, which others must not change. */
    public static String settings(Path path) {
        refuseWritable(path);
        return read(path);
    }

    /** @throws IllegalArgumentException if others can change that file or folder */
    public static void refuseWritable(Path path) {
        refuse(path, WRITERS, "changed", "go-w");
    }

    private static void refuse(Path path, Set<PosixFilePermission> which, String what, String mode) {
        try {
            if (Files.getFileStore(path).supportsFileAttributeView("posix")
                    && Files.getPosixFilePermissions(path).stream().anyMatch(which::contains))
                throw new IllegalArgumentException(
                        path + " can be " + what + " by other users: chmod " + mode + " " + path);
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    private static String read(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    private static IllegalArgumentException unreadable(Path path, IOException e) {
        String reason = e instanceof NoSuchFileException
                ? "there is no such file"
                : e.getClass().getSimpleName();
        return new IllegalArgumentException("cannot read " + path + ": " + reason, e);
    }

    /**
     * The secret of an object of JSON that has a {@code file} or a variable of the environment, {@code env}.
     *
     * @throws IllegalArgumentException if it cannot be read, or others can read or change it
     */
    public String secret(JsonNode node) {
        String file = JsonKeys.text(node, "file");
        String variable = JsonKeys.text(node, "env");
        if ((file == null) == (variable == null))
            throw new IllegalArgumentException(
                    "its secret is in a \"file\" or in a variable of the environment, \"env\"");
        if (!reads) return "";
        return file == null ? variable(String.valueOf(variable)) : file(file);
    }

    /** The value of a variable. */
    public String variable(String name) {
        @Nullable String value = environment.get(name);
        if (name.startsWith("HOWDAH_") || name.startsWith("PG"))
            throw new IllegalArgumentException("the variable " + name + " is one of the program's own");
        if (value == null || value.isEmpty())
            throw new IllegalArgumentException("the variable " + name + " is not in the program's environment");
        return value;
    }
}
