package dev.howdah.health;

import org.jspecify.annotations.Nullable;

/**
 * A cause why a task, job, process, sweep or schedule does not run, or what it does instead.
 *
 * @param code the kind of cause, such as {@code paused}; see the reference of each function in SQL
 * @param sentence the cause for people, with names and times
 * @param detail the facts of the sentence as a JSON object
 * @param remedy what to do about it, mostly an SQL statement; null if there is nothing to do
 */
public record Cause(
        String code,
        String sentence,
        String detail,
        @Nullable String remedy) {}
