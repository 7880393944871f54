package dev.howdah.internal.run;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;

/** Sentences that a program logs once, however often it starts what says them. Safe for use by many threads. */
public final class SaidOnce {
    private static final Set<String> SAID = ConcurrentHashMap.newKeySet();

    private SaidOnce() {}

    /** As {@link #info}, at the level WARN. */
    public static void warn(Logger log, String sentence) {
        if (SAID.add(sentence)) log.warn(sentence);
    }

    /** Logs a sentence at the level INFO, if it was not said before. One of few: they are kept. */
    public static void info(Logger log, String sentence) {
        if (SAID.add(sentence)) log.info(sentence);
    }
}
