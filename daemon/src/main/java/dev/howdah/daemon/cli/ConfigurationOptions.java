package dev.howdah.daemon.cli;

import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.console.Terminal;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** The settings as options of a command. */
public final class ConfigurationOptions {
    private ConfigurationOptions() {}

    /** Gives a command an option for each of the settings. */
    public static void add(CommandSpec command, Setting... settings) {
        Arrays.stream(settings)
                .map(setting -> OptionSpec.builder(setting.flag())
                        .paramLabel(setting.label())
                        .type(String.class)
                        .description(setting.help().replace("%", "%%"))
                        .build())
                .forEach(command::addOption);
    }

    /** Gives each command below that one the settings that name a database, but for the one that prints a schema. */
    public static void addToCommandsOf(CommandLine line) {
        line.getSubcommands().forEach((name, sub) -> {
            if (!name.equals("schema")) add(sub.getCommandSpec(), Setting.DATA, Setting.URL, Setting.CONFIG);
        });
    }

    /** Gives each command below that one, at any depth, the setting that names the schema of the tables. */
    public static void addInstallation(CommandLine line) {
        line.getSubcommands().forEach((name, sub) -> {
            if (sub.getSubcommands().isEmpty()) add(sub.getCommandSpec(), Setting.INSTALLATION);
            else addInstallation(sub);
        });
    }

    /** Gives a command of all features the settings that name a database, and its tables of tasks and of jobs. */
    public static void addAllFeatures(CommandSpec command) {
        add(command, Setting.DATA, Setting.URL, Setting.SCHEMA, Setting.TABLE, Setting.CONFIG, Setting.INSTALLATION);
    }

    /** The configuration of a command that was parsed. */
    public static Configuration read(CommandSpec command, Terminal terminal) {
        return read(command, terminal, Setting.values());
    }

    /** As {@link #read(CommandSpec, Terminal)}, for a command in which options of the same names mean something else. */
    public static Configuration read(CommandSpec command, Terminal terminal, Setting... settings) {
        ParseResult parsed = command.commandLine().getParseResult();
        Map<Setting, String> flags = new EnumMap<>(Setting.class);
        for (Setting setting : settings)
            if (parsed.hasMatchedOption(setting.flag()))
                flags.put(setting, parsed.matchedOptionValue(setting.flag(), ""));
        return Configuration.of(flags, terminal.environment());
    }
}
