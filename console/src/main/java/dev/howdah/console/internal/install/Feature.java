package dev.howdah.console.internal.install;

import dev.howdah.operations.read.Installed;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A feature with tables that are not there from the start. */
public enum Feature {
    JOBS,
    PROCESSES,
    SWEEPS;

    /** As addresses and sentences name it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The feature of that word; null: there is none. */
    static @Nullable Feature of(String word) {
        for (Feature each : values()) if (each.word().equals(word)) return each;
        return null;
    }

    /** The words of those whose tables are there. */
    public static List<String> words(Installed installed) {
        return Arrays.stream(values())
                .filter(each -> each.isIn(installed))
                .map(Feature::word)
                .toList();
    }

    /** Whether its tables are there. */
    boolean isIn(Installed installed) {
        return switch (this) {
            case JOBS -> installed.jobs();
            case PROCESSES -> installed.processes();
            case SWEEPS -> installed.sweeps();
        };
    }
}
