package dev.howdah.process.notice;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A notice that the publisher has refused, and that waits for a decision of an operator.
 *
 * @param process its id
 * @param id of the notice
 * @param event the id of its event; null for other notices
 * @param reason given by the publisher
 * @param since the time of the refusal
 * @param behind the number of later notices of the process that wait for it; counted up to 100,000
 */
public record BlockedNotice(
        String process, long id, Notice.Kind kind, @Nullable Long event, String reason, Instant since, long behind) {}
