package dev.howdah.daemon.log;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.error.PlainText;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;
import org.slf4j.spi.MDCAdapter;

/**
 * Writes events as lines of text for people. An event is one line, whatever is in its message, and those of a stack trace are
 * indented: what others have written cannot look like an event. Safe for use by many threads.
 */
final class TextLines implements LogLines {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS", Locale.ROOT);

    private final Supplier<PrintStream> out;
    private final MDCAdapter context;
    private final Set<String> places = ConcurrentHashMap.newKeySet();

    /** @param context that names the database and the table of an event, which is written once there are several */
    TextLines(Supplier<PrintStream> out, MDCAdapter context) {
        this.out = out;
        this.context = context;
    }

    /** Where it happened; empty: in the only one that is served. */
    private String place() {
        String database = context.get("database");
        String table = context.get("table");
        if (database == null || table == null) return "";
        String place = database + ", " + table + ": ";
        places.add(place);
        return places.size() > 1 ? place : "";
    }

    @Override
    public void write(Level level, String logger, @Nullable String message, @Nullable Throwable thrown) {
        StringBuilder event = new StringBuilder(TIME.format(ZonedDateTime.now()))
                .append(' ')
                .append(level.name())
                .append(' ')
                .append(PlainText.line(place() + message))
                .append('\n');
        if (thrown != null)
            PlainText.of(ErrorText.of(thrown).text())
                    .lines()
                    .forEach(each -> event.append(each.startsWith("\t") ? "" : "\t")
                            .append(each)
                            .append('\n'));
        byte[] bytes = event.toString().getBytes(StandardCharsets.UTF_8);
        PrintStream to = out.get();
        to.write(bytes, 0, bytes.length);
        to.flush();
    }
}
