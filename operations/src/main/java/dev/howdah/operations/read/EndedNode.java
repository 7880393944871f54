package dev.howdah.operations.read;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A node that has ended.
 *
 * @param version of its program; null: it said nothing of it
 * @param reason stopped, lost or replaced
 */
public record EndedNode(
        int id,
        String name,
        List<String> features,
        @Nullable String version,
        Instant started,
        Instant ended,
        String reason) {}
