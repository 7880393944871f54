package dev.howdah.operations.read;

import java.time.Instant;
import java.util.List;

/**
 * Jobs whose errors have one text, but for numbers, ids and quoted parts.
 *
 * @param line the first line of one of them
 * @param example the newest job
 */
public record ErrorGroup(
        String pattern,
        long jobs,
        String line,
        List<String> queues,
        List<String> kinds,
        Instant first,
        Instant last,
        long example) {}
