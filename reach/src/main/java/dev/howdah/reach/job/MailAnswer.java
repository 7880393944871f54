package dev.howdah.reach.job;

/**
 * A mail was taken.
 *
 * @param answer of the server, {@code 250 2.0.0 Ok: queued as 4F1}
 * @param messageId with its brackets
 */
public record MailAnswer(String answer, String messageId) {}
