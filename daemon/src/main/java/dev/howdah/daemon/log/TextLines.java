package dev.howdah.daemon.log;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.error.PlainText;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * Writes events as lines of text for people. An event is one line, whatever is in its message, and those of a stack trace are
 * indented: what others have written cannot look like an event. Safe for use by many threads.
 */
final class TextLines implements LogLines {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS", Locale.ROOT);

    private final PrintStream out;

    TextLines(PrintStream out) {
        this.out = out;
    }

    @Override
    public void write(Level level, String logger, @Nullable String message, @Nullable Throwable thrown) {
        StringBuilder event = new StringBuilder(TIME.format(ZonedDateTime.now()))
                .append(' ')
                .append(level.name())
                .append(' ')
                .append(PlainText.line(String.valueOf(message)))
                .append('\n');
        if (thrown != null)
            PlainText.of(ErrorText.of(thrown).text())
                    .lines()
                    .forEach(each -> event.append(each.startsWith("\t") ? "" : "\t")
                            .append(each)
                            .append('\n'));
        byte[] bytes = event.toString().getBytes(StandardCharsets.UTF_8);
        out.write(bytes, 0, bytes.length);
        out.flush();
    }
}
