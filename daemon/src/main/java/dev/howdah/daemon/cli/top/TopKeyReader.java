package dev.howdah.daemon.cli.top;

import dev.howdah.daemon.cli.top.TopKey.Kind;
import java.io.IOException;
import java.util.Map;
import org.jline.utils.NonBlockingReader;
import org.jspecify.annotations.Nullable;

/** Reads keys: characters, and the sequences that terminals send for others. Not safe for use by many threads. */
final class TopKeyReader {
    /** What belongs to a sequence follows its beginning without a pause; the Escape key is alone. */
    private static final long SEQUENCE_MILLIS = 50;

    /** A read without an end keeps the terminal from being given back. */
    private static final long WAIT_MILLIS = 60_000;

    private static final int ESCAPE = 27;
    private static final int LONGEST = 8;

    /** By what follows {@code ESC [} or {@code ESC O}. */
    private static final Map<String, Kind> SEQUENCES = Map.ofEntries(
            Map.entry("A", Kind.UP),
            Map.entry("B", Kind.DOWN),
            Map.entry("C", Kind.RIGHT),
            Map.entry("D", Kind.LEFT),
            Map.entry("H", Kind.HOME),
            Map.entry("F", Kind.END),
            Map.entry("1~", Kind.HOME),
            Map.entry("7~", Kind.HOME),
            Map.entry("4~", Kind.END),
            Map.entry("8~", Kind.END),
            Map.entry("5~", Kind.PAGE_UP),
            Map.entry("6~", Kind.PAGE_DOWN));

    private final NonBlockingReader reader;
    private int pending = -1;

    TopKeyReader(NonBlockingReader reader) {
        this.reader = reader;
    }

    /** Waits for a key that means something; null: the input has ended. */
    @Nullable
    TopKey next() throws IOException {
        while (true) {
            int c = pending < 0 ? reader.read(WAIT_MILLIS) : pending;
            pending = -1;
            if (c == NonBlockingReader.READ_EXPIRED) continue;
            if (c < 0) return null;
            TopKey key = c == ESCAPE ? sequence() : single(c);
            if (key != null) return key;
        }
    }

    private static @Nullable TopKey single(int c) {
        return switch (c) {
            case '\r', '\n' -> TopKey.of(Kind.ENTER);
            case '\t' -> TopKey.of(Kind.TAB);
            case 3 -> TopKey.of(Kind.INTERRUPT);
            case 8, 127 -> TopKey.of(Kind.BACKSPACE);
            default -> c < ' ' ? null : TopKey.of(c);
        };
    }

    private @Nullable TopKey sequence() throws IOException {
        int c = reader.read(SEQUENCE_MILLIS);
        if (c < 0) return TopKey.of(Kind.ESCAPE);
        if (c != '[' && c != 'O') {
            pending = c;
            return TopKey.of(Kind.ESCAPE);
        }
        StringBuilder text = new StringBuilder();
        while (text.length() < LONGEST) {
            c = reader.read(SEQUENCE_MILLIS);
            if (c < 0) break;
            text.append((char) c);
            if (c >= '@' && c <= '~') break;
        }
        Kind kind = SEQUENCES.get(text.toString());
        return kind == null ? null : TopKey.of(kind);
    }
}
