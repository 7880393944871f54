package dev.howdah.console.internal.page;

/** The entries of the side bar. */
public enum Section {
    OVERVIEW("Overview", "/", "o"),
    TASKS("Tasks", "/tasks", "t"),
    JOBS("Jobs", "/jobs?state=failed", "j"),
    ERRORS("Errors", "/jobs/errors", "x"),
    QUEUES("Queues", "/jobs/queues", "q"),
    SCHEDULES("Schedules", "/schedules", "c"),
    PROCESSES("Processes", "/processes", "p"),
    SWEEPS("Sweeps", "/sweeps", "s"),
    NODES("Nodes", "/nodes", "n"),
    DATABASE("Database", "/database", "d"),
    AUDIT("Audit", "/audit", "a"),
    TOKENS("Tokens", "/tokens", "k"),
    SETTINGS("Settings", "/settings", "e");

    private final String label;
    private final String path;
    private final String key;

    Section(String label, String path, String key) {
        this.label = label;
        this.path = path;
        this.key = key;
    }

    /** Whether only administrators see it. */
    public boolean isForAdministrators() {
        return this == AUDIT || this == TOKENS;
    }

    public String label() {
        return label;
    }

    public String path() {
        return path;
    }

    /** The key that opens it, after {@code g}. */
    public String key() {
        return key;
    }
}
