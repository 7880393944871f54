package dev.howdah.task.internal.owner;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The version of the settings that a session has only from its beginning, as a text for each owner of tasks that changes when that does: settings of
 * roles and of the database, the configuration, and the role itself. Each scan of the scheduler brings it along. Belongs
 * to the scheduler's thread; an owner is null for the scheduler's role.
 */
public final class SessionVersions {
    /** For so long after its last task an owner is asked for. */
    private static final Duration MEMORY = Duration.ofMinutes(1);

    private static final class Known {
        private @Nullable String version;
        private long usedAt = System.nanoTime();
    }

    private final Map<@Nullable String, Known> owners = new HashMap<>();
    private boolean missing;
    private List<@Nullable String> asked = List.of();

    public SessionVersions() {
        owners.put(null, new Known());
    }

    /** Whose versions the next look is to bring along. */
    @Nullable
    public String[] owners() {
        long now = System.nanoTime();
        owners.entrySet().removeIf(each -> each.getKey() != null && now - each.getValue().usedAt > MEMORY.toNanos());
        asked = new ArrayList<>(owners.keySet());
        return asked.toArray(new @Nullable String[0]);
    }

    /** Takes in what a look has brought along. */
    public void learn(ResultSet row) throws SQLException {
        String[] versions = (String[]) row.getArray("versions").getArray();
        for (int i = 0; i < versions.length; i++) {
            Known known = owners.get(asked.get(i));
            if (known != null) known.version = versions[i];
        }
    }

    /** What a session of that owner that begins now has; null if that is not known yet: then the next look tells. */
    @Nullable
    public String of(@Nullable String owner) {
        Known known = owners.computeIfAbsent(owner, o -> new Known());
        known.usedAt = System.nanoTime();
        missing |= known.version == null;
        return known.version;
    }

    /** Returns whether a session that began with that version has what a new one would have. */
    public boolean isCurrent(@Nullable String owner, String version) {
        Known known = owners.get(owner);
        if (known == null) return false;
        known.usedAt = System.nanoTime();
        return version.equals(known.version);
    }

    /** Returns whether a version was asked for that is not known, since the last call of this method. */
    public boolean takeMissing() {
        boolean some = missing;
        missing = false;
        return some;
    }
}
