package dev.howdah.internal.error;

import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.MDC;
import org.slf4j.helpers.FormattingTuple;
import org.slf4j.helpers.MessageFormatter;

/** A logger that keeps its lines: level, message, and the class of what was logged with it. Thread-safe. */
public final class RecordedLog {
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final List<Map<String, String>> contexts = new CopyOnWriteArrayList<>();
    private volatile boolean failing;
    private volatile boolean debug;

    public List<String> lines() {
        return lines;
    }

    /** What stood in the MDC, for each line. */
    public List<Map<String, String>> contexts() {
        return contexts;
    }

    /** Whether each call throws. */
    public void failing(boolean yes) {
        failing = yes;
    }

    /** Whether the level DEBUG is on; lines of that level are kept in any case. */
    public void debug(boolean yes) {
        debug = yes;
    }

    public Logger logger() {
        return (Logger) Proxy.newProxyInstance(
                RecordedLog.class.getClassLoader(), new Class<?>[] {Logger.class}, (proxy, method, values) -> {
                    if (method.getReturnType() == boolean.class)
                        return debug || !method.getName().equals("isDebugEnabled");
                    if (method.getReturnType() != void.class) return "recorded";
                    if (failing) throw new NoClassDefFoundError("appender");
                    Object[] more = values.length == 2 && values[1] instanceof Object[] array
                            ? array
                            : Arrays.copyOfRange(values, 1, values.length);
                    FormattingTuple line = MessageFormatter.arrayFormat(String.valueOf(values[0]), more);
                    String thrown = line.getThrowable() == null
                            ? ""
                            : " [" + line.getThrowable().getClass().getName() + "]";
                    Map<String, String> context = MDC.getCopyOfContextMap();
                    contexts.add(context == null ? Map.of() : context);
                    lines.add(method.getName().toUpperCase(Locale.ROOT) + " " + line.getMessage() + thrown);
                    return null;
                });
    }
}
