package dev.howdah.daemon.cli.top.list;

import java.util.Locale;

/** What a state means; its colour says the same as its word. */
public enum TopTone {
    WAITING,
    RUNNING,
    DONE,
    RETRYING,
    FAILED,
    PAUSED;

    /** That of a state by its word. */
    static TopTone of(String state) {
        return switch (state.toLowerCase(Locale.ROOT)) {
            case "running", "work", "take" -> RUNNING;
            case "done" -> DONE;
            case "failed", "fail", "error" -> FAILED;
            case "retrying" -> RETRYING;
            case "paused" -> PAUSED;
            default -> WAITING;
        };
    }
}
