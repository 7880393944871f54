package dev.howdah.console.internal.schedule;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.job.Jobs;
import dev.howdah.job.NewJob;
import dev.howdah.job.Schedule;

/** Stores schedules, and tells one version of a schedule from another. */
public final class StoredSchedules {
    private StoredSchedules() {}

    /**
     * Adds a schedule, or changes the one of that name.
     *
     * @param job with a payload that is JSON already
     * @throws IllegalArgumentException if the two cannot go together
     */
    public static void put(ConsoleData data, Schedule schedule, NewJob<String> job) {
        Jobs.on(data.source())
                .schema(data.schema())
                .codec(new TextCodec())
                .schedules()
                .put(schedule, job);
    }
}
