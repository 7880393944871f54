package dev.howdah.process;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A notice that will never be taken as it is: somebody has to decide.
 *
 * @param process its id
 * @param id of the notice
 * @param event its number, if it tells of an event; else null
 * @param reason what the publisher has said
 * @param since when it said so
 * @param behind how many later notices of the process wait for it; counted up to 100,000
 */
public record BlockedNotice(
        String process, long id, Notice.Kind kind, @Nullable Long event, String reason, Instant since, long behind) {}
