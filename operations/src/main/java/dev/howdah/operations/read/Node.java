package dev.howdah.operations.read;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A node.
 *
 * @param serves JSON: what it takes, by feature
 * @param version of its program; null: it says nothing of it
 * @param pid the server process of its session; null: it has lost the session, or is dead
 * @param address of the node as the server sees it; null: the same machine, or not to be seen
 * @param jobs that it works on
 */
public record Node(
        int id,
        String name,
        List<String> features,
        Instant started,
        String serves,
        @Nullable String version,
        @Nullable Integer pid,
        @Nullable String address,
        long jobs) {}
