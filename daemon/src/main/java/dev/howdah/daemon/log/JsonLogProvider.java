package dev.howdah.daemon.log;

import java.io.PrintStream;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.helpers.BasicMDCAdapter;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * A provider of SLF4J that writes each event as a JSON object on a line of its own to the standard error. It is in no file of services:
 * SLF4J takes it where the system property {@code slf4j.provider} names it. Safe for use by many threads.
 */
public final class JsonLogProvider implements SLF4JServiceProvider {
    private final MDCAdapter context = new BasicMDCAdapter();
    private final IMarkerFactory markers = new BasicMarkerFactory();
    private final ConcurrentMap<String, JsonLogger> loggers = new ConcurrentHashMap<>();
    private final JsonLines lines;
    private final LogLevels levels = LogLevels.ofSimpleLogger();

    public JsonLogProvider() {
        this(System.err);
    }

    JsonLogProvider(PrintStream out) {
        this.lines = new JsonLines(out, context);
    }

    @Override
    public ILoggerFactory getLoggerFactory() {
        return name -> loggers.computeIfAbsent(name, each -> new JsonLogger(each, levels.of(each), lines));
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return context;
    }

    @Override
    public String getRequestedApiVersion() {
        return "2.0.99";
    }

    @Override
    public void initialize() {
        // The constructor has done all.
    }
}
