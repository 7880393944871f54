package dev.howdah.testkit;

import dev.howdah.testkit.internal.crash.CrashSwitch;
import dev.howdah.testkit.internal.crash.CrashingDataSource;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.sql.DataSource;

/**
 * One run of the program under test, up to its crash: what it has to use instead of the world outside. Safe for use by many threads.
 */
public final class CrashRun {
    private final CrashSwitch end;
    private final DataSource source;
    private final Map<String, Long> effects;

    private CrashRun(CrashSwitch end, DataSource source, Map<String, Long> effects) {
        this.end = end;
        this.source = source;
        this.effects = effects;
    }

    /** @param effects to which it adds, shared by the runs before and after a crash */
    static CrashRun of(DataSource database, CrashSwitch end, Map<String, Long> effects) {
        return new CrashRun(end, new CrashingDataSource(database, end), effects);
    }

    static Map<String, Long> noEffects() {
        return new LinkedHashMap<>();
    }

    /** Returns the database, for the builder of jobs and for the handler: its connections end with the crash. */
    public DataSource dataSource() {
        return source;
    }

    /** Records an effect outside of the database, such as a mail that is sent. After the crash nothing is recorded. */
    public void record(String effect) {
        if (end.crashed()) return;
        synchronized (effects) {
            effects.merge(effect, 1L, Long::sum);
        }
    }
}
