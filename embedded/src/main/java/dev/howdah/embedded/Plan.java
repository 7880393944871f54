package dev.howdah.embedded;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a server shall be like.
 *
 * @param binaries where PostgreSQL is unpacked, null for the directory itself
 * @param port 0 for a free one
 * @param archive null for the PostgreSQL brought along
 */
record Plan(
        Path directory,
        @Nullable Path binaries,
        int port,
        boolean durable,
        boolean passwordRequired,
        Map<String, String> settings,
        @Nullable PostgresArchive archive) {
    Plan {
        settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
    }
}
