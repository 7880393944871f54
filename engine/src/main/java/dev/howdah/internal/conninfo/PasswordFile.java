package dev.howdah.internal.conninfo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A {@code .pgpass}: lines {@code host:port:database:user:password}, the first that fits counts. Read anew for
 * each question, so that a changed password is found. A file that others may read is passed over with a warning.
 */
public final class PasswordFile {
    private static final Logger log = LoggerFactory.getLogger(PasswordFile.class);
    private static final Set<PosixFilePermission> OTHERS =
            EnumSet.range(PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_EXECUTE);
    private static final Set<String> SOCKET_DIRECTORIES = Set.of("/tmp", "/var/run/postgresql", "/run/postgresql");

    private final Path path;

    public PasswordFile(Path path) {
        this.path = path;
    }

    /** The password for that user of that database, or null if the file, or a line that fits, does not exist. */
    public @Nullable String password(String host, int port, String database, String user) {
        if (!usable()) return null;
        String name = SOCKET_DIRECTORIES.contains(host) ? "localhost" : host;
        List<String> wanted = List.of(name, Integer.toString(port), database, user);
        try {
            // Not a decoder that refuses: a password need not be UTF-8 to spare the lines of others.
            for (String line : new String(Files.readAllBytes(path), StandardCharsets.UTF_8).split("\r?\n", -1)) {
                String password = line.startsWith("#") ? null : match(line, wanted);
                if (password != null) return password;
            }
        } catch (IOException e) {
            log.warn("cannot read password file \"{}\": {}", path, e.toString());
        }
        return null;
    }

    private boolean usable() {
        if (!Files.exists(path)) return false;
        if (!Files.isRegularFile(path)) {
            log.warn("password file \"{}\" is not a plain file", path);
            return false;
        }
        if (isOpenToOthers()) {
            log.warn(
                    "password file \"{}\" has group or world access; permissions should be u=rw (0600) or less: ignored",
                    path);
            return false;
        }
        return true;
    }

    private boolean isOpenToOthers() {
        try {
            return Files.getPosixFilePermissions(path).stream().anyMatch(OTHERS::contains);
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    private static @Nullable String match(String line, List<String> wanted) {
        int at = 0;
        for (String value : wanted) {
            int end = fieldEnd(line, at);
            if (end == line.length()) return null;
            String field = line.substring(at, end);
            if (!field.equals("*") && !unescape(field).equals(value)) return null;
            at = end + 1;
        }
        return unescape(line.substring(at));
    }

    private static int fieldEnd(String line, int from) {
        int at = from;
        while (at < line.length() && line.charAt(at) != ':') at += line.charAt(at) == '\\' ? 2 : 1;
        return Math.min(at, line.length());
    }

    private static String unescape(String field) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < field.length(); i++) {
            if (field.charAt(i) == '\\' && i + 1 < field.length()) i++;
            out.append(field.charAt(i));
        }
        return out.toString();
    }
}
