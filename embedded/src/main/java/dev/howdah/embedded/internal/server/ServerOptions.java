package dev.howdah.embedded.internal.server;

import dev.howdah.embedded.internal.install.PostgresArchive;
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
public record ServerOptions(
        Path directory,
        @Nullable Path binaries,
        int port,
        boolean durable,
        boolean passwordRequired,
        Map<String, String> settings,
        @Nullable PostgresArchive archive) {
    public ServerOptions {
        settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
    }
}
