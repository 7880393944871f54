package dev.howdah.process.internal.step;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The events of several steps or of an imported process, one after the other, as arrays of the database hold them. */
public final class NewEvents {
    final List<Long> processes = new ArrayList<>();
    final List<Long> tasks = new ArrayList<>();
    final List<Boolean> tell = new ArrayList<>();
    public final List<Long> ids = new ArrayList<>();
    public final List<@Nullable String> times = new ArrayList<>();
    public final List<byte[]> payloads = new ArrayList<>();
    public final List<@Nullable String> metadata = new ArrayList<>();

    /** Returns the last of their ids; 0 if there is none. */
    public long add(long process, long task, boolean told, List<StepResult.NewRow> rows) {
        long last = 0;
        for (StepResult.NewRow each : rows) {
            processes.add(process);
            tasks.add(task);
            tell.add(told);
            ids.add(each.id());
            times.add(time(each.at()));
            payloads.add(each.payload());
            metadata.add(each.metadata());
            last = Math.max(last, each.id());
        }
        return last;
    }

    /** As PostgreSQL reads it; null stays null. */
    static @Nullable public String time(@Nullable Instant at) {
        return at == null ? null : at.toString();
    }
}
