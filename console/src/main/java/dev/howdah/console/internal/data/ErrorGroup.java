package dev.howdah.console.internal.data;

import java.time.Instant;
import java.util.List;

/**
 * Jobs whose errors have one text, but for numbers, ids and quoted parts.
 *
 * @param lines how many different first lines there are
 * @param line one of them
 * @param example the newest job
 */
public record ErrorGroup(
        String pattern,
        long jobs,
        long lines,
        String line,
        List<String> queues,
        List<String> kinds,
        Instant first,
        Instant last,
        long example) {}
