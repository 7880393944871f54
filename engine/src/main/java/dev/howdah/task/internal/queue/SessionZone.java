package dev.howdah.task.internal.queue;

import dev.howdah.internal.run.Background;
import dev.howdah.task.internal.owner.SessionVersions;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The time zone with which sessions of the scheduler's role begin. It is read again, in a new session, when it is needed
 * after the configuration or a setting was changed. Belongs to the scheduler's thread.
 */
public final class SessionZone implements CronTimetable.DefaultZone {
    private final SessionVersions versions;
    private final Supplier<@Nullable String> reader;
    private final Background background;
    private String name;
    private @Nullable String version;
    private boolean reading;
    private boolean read;

    /**
     * @param name as PostgreSQL names it
     * @param version as {@link SessionVersions} knew it before the name was read
     * @param reader reads the name in a new session; called in the background, null when that is closed
     */
    public SessionZone(
            String name,
            @Nullable String version,
            SessionVersions versions,
            Supplier<@Nullable String> reader,
            Background background) {
        this.name = name;
        this.version = version;
        this.versions = versions;
        this.reader = reader;
        this.background = background;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean isOutdated() {
        String now = versions.of(null);
        if (Objects.equals(now, version)) return false;
        if (!reading) {
            reading = true;
            background.run(() -> {
                String zone = reader.get();
                background.post(() -> learned(zone, now));
            });
        }
        return true;
    }

    private void learned(@Nullable String zone, @Nullable String readAt) {
        reading = false;
        if (zone == null) return;
        name = zone;
        version = readAt;
        read = true;
    }

    /** Returns whether the name has been read since this was last asked, so that what was left out can be judged. */
    public boolean takeRead() {
        boolean some = read;
        read = false;
        return some;
    }
}
