package dev.howdah.process;

import java.time.Instant;

/**
 * The task of a step, for which a processor is called.
 *
 * @param id unique in the database, and greater than those of the process's earlier tasks
 * @param args of the request; empty for a timer
 * @param context of the request; a timer has that of the task that set it
 * @param scheduled the time of the request, or the due time
 * @param attempt the first is 1
 */
public record ProcessTask(long id, TaskType type, Payload args, Payload context, Instant scheduled, int attempt) {}
