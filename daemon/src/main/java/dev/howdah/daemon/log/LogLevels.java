package dev.howdah.daemon.log;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** From which level on loggers write: the settings of {@code slf4j-simple}, which writes the log as text. Immutable. */
final class LogLevels {
    /** Above that of all events. */
    static final int OFF = Integer.MAX_VALUE;

    private static final String FILE = "/simplelogger.properties";
    static final String PREFIX = "org.slf4j.simpleLogger.";

    private final Properties settings;

    private LogLevels(Properties settings) {
        this.settings = settings;
    }

    /** A system property overrides the file. */
    static LogLevels ofSimpleLogger() {
        Properties settings = new Properties();
        try (InputStream file = LogLevels.class.getResourceAsStream(FILE)) {
            if (file != null) settings.load(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        settings.putAll(System.getProperties());
        return new LogLevels(settings);
    }

    /** That of the logger, or else of the nearest logger above it that has one. */
    int of(String logger) {
        for (String name = logger; !name.isEmpty(); name = name.substring(0, Math.max(0, name.lastIndexOf('.')))) {
            @Nullable String level = settings.getProperty(PREFIX + "log." + name);
            if (level != null) return number(level);
        }
        return number(settings.getProperty(PREFIX + "defaultLogLevel", "info"));
    }

    private static int number(String level) {
        return level.equalsIgnoreCase("off")
                ? OFF
                : org.slf4j.event.Level.valueOf(level.toUpperCase(Locale.ROOT)).toInt();
    }
}
