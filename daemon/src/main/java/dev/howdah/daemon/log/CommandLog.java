package dev.howdah.daemon.log;

/** The log of a command, which prints its results itself. Thread-safe. */
public final class CommandLog {
    private CommandLog() {}

    /** Omits the events below the level ERROR of these loggers, unless the command was asked for all events. To be called before one of them is made. */
    public static void omit(String... loggers) {
        if (System.getProperty(LogLevels.PREFIX + "defaultLogLevel") != null) return;
        for (String each : loggers) System.setProperty(LogLevels.PREFIX + "log." + each, "error");
    }
}
