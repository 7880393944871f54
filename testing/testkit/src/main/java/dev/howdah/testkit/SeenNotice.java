package dev.howdah.testkit;

import org.jspecify.annotations.Nullable;

/**
 * A notice about a process that has not been published, as a test sees it.
 *
 * @param process its id
 * @param kind {@code event}, {@code created}, {@code failed}, {@code repaired} or {@code removed}
 * @param event the id of the event; null if it is about none
 * @param payload of the event, JSON; null if it is about none
 * @param detail the reason, if the process has failed; else null
 */
public record SeenNotice(
        String namespace,
        String process,
        String kind,
        @Nullable Long event,
        @Nullable String payload,
        @Nullable String detail) {}
