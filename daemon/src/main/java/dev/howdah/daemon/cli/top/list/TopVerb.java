package dev.howdah.daemon.cli.top.list;

import org.jspecify.annotations.Nullable;

/** What keys do with the selected row. */
public enum TopVerb {
    RETRY('r'),
    CANCEL('c'),
    PAUSE('p');

    private final char key;

    TopVerb(char key) {
        this.key = key;
    }

    public static @Nullable TopVerb of(int key) {
        for (TopVerb each : values()) if (each.key == key) return each;
        return null;
    }
}
