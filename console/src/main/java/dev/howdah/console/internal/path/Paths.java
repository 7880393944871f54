package dev.howdah.console.internal.path;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Paths such as {@code /tasks/{id}}, the first that fits before others. The same for requests and for streams of pages. A name
 * matches one segment, which is decoded after the path was taken apart: an encoded slash belongs to the name.
 */
public final class Paths<T> {
    private record Path<T>(String pattern, String[] segments, T target) {}

    private final List<Path<T>> paths = new ArrayList<>();

    /** A target and the names in the path. */
    public record Match<T>(T target, Map<String, String> names) {}

    public void add(String pattern, T target) {
        paths.add(new Path<>(pattern, pattern.split("/", -1), target));
    }

    /** The patterns of all, in their order. */
    public List<String> patterns() {
        return paths.stream().map(Path::pattern).toList();
    }

    /** @param path as it was sent, still encoded */
    public Optional<Match<T>> find(String path) {
        String[] segments = path.split("/", -1);
        for (Path<T> each : paths) {
            Map<String, String> names = names(each.segments(), segments);
            if (names != null) return Optional.of(new Match<>(each.target(), names));
        }
        return Optional.empty();
    }

    private static @Nullable Map<String, String> names(String[] pattern, String[] path) {
        if (pattern.length != path.length) return null;
        Map<String, String> names = new LinkedHashMap<>();
        for (int i = 0; i < pattern.length; i++) {
            String wanted = pattern[i];
            if (wanted.startsWith("{")) {
                String value = decoded(path[i]);
                if (value.isEmpty() || value.indexOf('\0') >= 0) return null;
                names.put(wanted.substring(1, wanted.length() - 1), value);
            } else if (!wanted.equals(path[i])) {
                return null;
            }
        }
        return names;
    }

    private static String decoded(String segment) {
        try {
            return URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }
}
