package dev.howdah.console.internal.schedule;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.internal.text.Sha256;
import dev.howdah.job.Jobs;
import dev.howdah.job.NewJob;
import dev.howdah.job.Schedule;
import dev.howdah.job.Schedules;

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

    /** A text that is another one after each change of the settings. */
    public static String version(Schedules.Entry entry) {
        String settings = String.join(
                "\n",
                String.valueOf(entry.schedule()),
                entry.queue(),
                entry.kind(),
                entry.payload(),
                Integer.toString(entry.priority()),
                String.valueOf(entry.key()),
                String.valueOf(entry.options()));
        return Sha256.hex(settings, 8);
    }
}
