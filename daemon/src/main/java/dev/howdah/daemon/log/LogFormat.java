package dev.howdah.daemon.log;

import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.console.CliException;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Decides before the first logger is made, which fixes it for the whole run, in which format the log is written. */
public final class LogFormat {
    private static final List<Setting> ASKED = List.of(Setting.LOG_FORMAT, Setting.CONFIG, Setting.DATA);

    private LogFormat() {}

    /** Has the log written by {@link LogProvider}, as JSON where the arguments are those of {@code up} and its settings say so. */
    public static void choose(String[] arguments, Map<String, String> environment) {
        System.setProperty("slf4j.provider", LogProvider.class.getName());
        // SLF4J would say in plain text that it takes this provider.
        System.setProperty("slf4j.internal.verbosity", "WARN");
        if (!Arrays.asList(arguments).contains("up")) return;
        try {
            if (Configuration.of(flags(arguments), environment)
                    .text(Setting.LOG_FORMAT)
                    .equals("json")) System.setProperty(LogProvider.JSON, "true");
        } catch (CliException e) {
            // The command reads the same settings, and ends with this error.
        }
    }

    private static Map<Setting, String> flags(String[] arguments) {
        Map<Setting, String> flags = new EnumMap<>(Setting.class);
        for (int i = 0; i < arguments.length; i++)
            for (Setting setting : ASKED) {
                if (arguments[i].equals(setting.flag()) && i + 1 < arguments.length)
                    flags.put(setting, arguments[i + 1]);
                if (arguments[i].startsWith(setting.flag() + "="))
                    flags.put(setting, arguments[i].substring(setting.flag().length() + 1));
            }
        return flags;
    }
}
