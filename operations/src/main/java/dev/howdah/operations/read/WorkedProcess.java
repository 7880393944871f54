package dev.howdah.operations.read;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A process that a node works on.
 *
 * @param since when the node took it; null: unknown
 */
public record WorkedProcess(
        String namespace, String id, @Nullable Instant since) {}
