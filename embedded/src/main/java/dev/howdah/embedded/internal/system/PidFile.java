package dev.howdah.embedded.internal.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What PostgreSQL writes into postmaster.pid.
 *
 * @param pid the process that wrote it, which may be long gone
 * @param ready whether the server takes connections
 */
public record PidFile(long pid, boolean ready) {
    private static final int STATUS_LINE = 7;

    public static Path of(Path data) {
        return data.resolve("postmaster.pid");
    }

    /** Null if there is none, or one only half written. */
    public static @Nullable PidFile read(Path data) {
        try {
            List<String> lines = Files.readAllLines(of(data));
            boolean ready =
                    lines.size() > STATUS_LINE && lines.get(STATUS_LINE).strip().equals("ready");
            return lines.isEmpty()
                    ? null
                    : new PidFile(Math.abs(Long.parseLong(lines.get(0).strip())), ready);
        } catch (IOException | NumberFormatException e) {
            return null;
        }
    }
}
