package dev.howdah.daemon.cli.top.list;

/** What a state means; its colour says the same as its word. */
public enum TopTone {
    WAITING,
    RUNNING,
    DONE,
    RETRYING,
    FAILED,
    PAUSED
}
