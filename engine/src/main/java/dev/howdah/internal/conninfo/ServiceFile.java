package dev.howdah.internal.conninfo;

import dev.howdah.DatabaseAddressException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A {@code pg_service.conf}: sections {@code [name]} with lines {@code keyword=value}. */
final class ServiceFile {
    private final Path path;

    ServiceFile(Path path) {
        this.path = path;
    }

    boolean exists() {
        return Files.isRegularFile(path);
    }

    /** The words of that service, or nothing if the file has no such section. */
    Optional<Map<String, String>> service(String name) {
        List<String> lines;
        try {
            lines = Files.readAllLines(path, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new DatabaseAddressException("cannot read service file \"" + path + "\": " + e);
        }
        Map<String, String> words = null;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#")) continue;
            if (line.startsWith("[")) {
                if (words != null) break;
                if (line.startsWith("[" + name + "]")) words = new LinkedHashMap<>();
            } else if (words != null) {
                addLine(words, line, i + 1);
            }
        }
        return Optional.ofNullable(words);
    }

    private void addLine(Map<String, String> words, String line, int number) {
        int equals = line.indexOf('=');
        if (equals < 1) throw broken("syntax error", number);
        String keyword = line.substring(0, equals);
        if (keyword.equals("service") || keyword.equals("servicefile"))
            throw broken("nested \"" + keyword + "\" specifications not supported", number);
        if (!Keyword.isKnown(keyword)) throw broken("unknown connection option", number);
        words.putIfAbsent(keyword, line.substring(equals + 1));
    }

    private DatabaseAddressException broken(String what, int line) {
        return new DatabaseAddressException(what + " in service file \"" + path + "\", line " + line);
    }
}
