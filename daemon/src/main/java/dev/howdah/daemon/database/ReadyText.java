package dev.howdah.daemon.database;

import org.jspecify.annotations.Nullable;

/** The text that {@code howdah up} prints when it is ready: everything to paste. */
public final class ReadyText {
    /** How the user has called this program: {@code ./howdah} is no command of the shell elsewhere. */
    private static final String COMMAND = shell(System.getProperty("howdah.command", "howdah"));

    private ReadyText() {}

    /**
     * The block.
     *
     * @param where the flag by which other commands find the database, if they need one
     * @param data the flag by which {@code howdah console} finds this program, if that needs one
     * @param toTerminal whether only the user who has started the program sees it
     */
    public static String of(
            RunningHowdah running, String server, @Nullable String where, @Nullable String data, boolean toTerminal) {
        String table = running.schema().equals("public")
                ? name(running.table())
                : name(running.schema()) + "." + name(running.table());
        String flag = where == null ? "" : " " + where;
        String first = "Howdah " + running.version() + " is up and "
                + switch (running.state()) {
                    case ACTIVE -> "runs what is in the table " + table + ".";
                    case PAUSED ->
                        "does nothing: everything in the database is paused, until " + COMMAND + " resume --all.";
                    default ->
                        "stands by: another one serves the table " + table + ", this one takes over when that ends.";
                };
        if (running.tables().size() > 1) first = several(running);
        String console =
                running.console() == null ? "" : console(running.console(), data == null ? "" : " " + data, toTerminal);
        return String.join(
                "\n",
                "",
                first,
                "",
                console + "  " + server,
                "      psql " + shell(running.postgres()),
                "  Add a task",
                "      INSERT INTO " + table + " (input) VALUES ('SELECT 1 + 1');",
                "  See what became of it",
                "      SELECT id, state, output, error FROM " + table + " ORDER BY id DESC LIMIT 5;",
                "  The same without psql",
                "      " + COMMAND + " sql" + flag + " \"SELECT 1 + 1\"",
                "      " + COMMAND + " task add" + flag + " --wait \"SELECT 1 + 1\"",
                "      " + COMMAND + " task list" + flag,
                "  Stop",
                "      Ctrl-C, or kill " + running.pid(),
                "");
    }

    private static String console(RunningHowdah.ConsolePlace place, String flag, boolean toTerminal) {
        String shown = place.shown(toTerminal);
        return "  Console\n      " + shown + "\n"
                + (shown.equals(place.link())
                        ? ""
                        : "  A link that opens it, which is not written where others may read it\n      " + COMMAND
                                + " console" + flag + "\n")
                + "  Metrics for Prometheus, and the probes /live and /ready\n      " + place.address() + "/metrics\n";
    }

    private static String several(RunningHowdah running) {
        StringBuilder text = new StringBuilder("Howdah " + running.version() + " is up and serves "
                + running.tables().size() + " tables:\n");
        for (RunningHowdah.Table table : running.tables()) {
            text.append("\n      ")
                    .append(name(table.schema()) + "." + name(table.name()) + " in " + name(table.database()));
            if (!table.user().isEmpty()) text.append(" for ").append(name(table.user()));
            switch (table.state()) {
                case WAITING -> text.append(": not yet, see the log");
                case STANDBY -> text.append(": stands by for another one");
                case PAUSED -> text.append(": everything there is paused");
                case ACTIVE -> {}
            }
        }
        return text.toString();
    }

    private static String name(String identifier) {
        return identifier.matches("[a-z_][a-z0-9_]*")
                ? identifier
                : dev.howdah.internal.text.Identifiers.quote(identifier);
    }

    /** As a shell reads it: in single quotes, if it needs any. */
    public static String shell(String word) {
        if (word.matches("[A-Za-z0-9_./+-]+")) return word;
        return "'" + word.replace("'", "'\\''") + "'";
    }
}
