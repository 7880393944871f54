package dev.howdah.daemon.log;

import java.io.PrintStream;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.helpers.BasicMDCAdapter;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * A provider of SLF4J that writes events to the standard error: as text, or each as a JSON object. It is in no file of services: SLF4J
 * takes it where the system property {@code slf4j.provider} names it. Safe for use by many threads.
 */
public final class LogProvider implements SLF4JServiceProvider {
    /** The system property that asks for JSON. */
    static final String JSON = "howdah.log.json";

    private final MDCAdapter context = new BasicMDCAdapter();
    private final IMarkerFactory markers = new BasicMarkerFactory();
    private final ConcurrentMap<String, LineLogger> loggers = new ConcurrentHashMap<>();
    private final LogLines lines;
    private final LogLevels levels = LogLevels.ofSimpleLogger();

    public LogProvider() {
        this(() -> System.err, Boolean.getBoolean(JSON));
    }

    /** @param out where an event is written, asked for each: a program that has the screen for itself puts another stream there */
    LogProvider(Supplier<PrintStream> out, boolean isJson) {
        this.lines = isJson ? new JsonLines(out, context) : new TextLines(out, context);
    }

    @Override
    public ILoggerFactory getLoggerFactory() {
        return name -> loggers.computeIfAbsent(name, each -> new LineLogger(each, levels.of(each), lines));
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
