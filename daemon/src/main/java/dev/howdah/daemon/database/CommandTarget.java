package dev.howdah.daemon.database;

import dev.howdah.Database;
import dev.howdah.DatabaseAddressException;
import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.console.CliException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The database and the table that a command works with: those of the URL in the configuration, else those of the
 * {@code howdah up} that runs on the data directory.
 */
public record CommandTarget(Database database, String schema, String table) {
    public static CommandTarget of(Configuration configuration, Map<String, String> environment) {
        if (configuration.url().isPresent())
            return new CommandTarget(
                    database(configuration.url().get(), environment),
                    configuration.text(Setting.SCHEMA),
                    configuration.text(Setting.TABLE));
        RunningHowdah running = running(configuration);
        return new CommandTarget(
                database(running.uri(), environment),
                configuration.given(Setting.SCHEMA) ? configuration.text(Setting.SCHEMA) : running.schema(),
                configuration.given(Setting.TABLE) ? configuration.text(Setting.TABLE) : running.table());
    }

    /** The option by which another command gets the same directory; empty where it is the usual one. */
    public static String data(Configuration configuration) {
        return configuration.usualData()
                ? ""
                : " --data " + ReadyText.shell(configuration.data().toString());
    }

    private static RunningHowdah running(Configuration configuration) {
        List<RunningHowdah> running = RunningHowdah.all(configuration);
        if (running.isEmpty())
            throw CliException.failed("no howdah is running on " + configuration.data() + ": start one with \"howdah up"
                    + data(configuration) + "\", or name another directory with --data or a database with --url");
        if (running.stream().map(RunningHowdah::postgres).distinct().count() > 1)
            throw CliException.failed("several databases are being served from " + configuration.data()
                    + ": say which one with --url: "
                    + running.stream().map(RunningHowdah::postgres).distinct().collect(Collectors.joining(", ")));
        return running.get(0);
    }

    /** Reads an address, or says what is wrong with it. */
    public static Database database(String url, Map<String, String> environment) {
        return database(url, environment, "--url");
    }

    /** As {@link #database(String, Map)}, of the option of that name. */
    public static Database database(String url, Map<String, String> environment, String option) {
        try {
            return Database.of(url, environment);
        } catch (DatabaseAddressException e) {
            throw CliException.usage(option + ": " + e.getMessage());
        }
    }
}
