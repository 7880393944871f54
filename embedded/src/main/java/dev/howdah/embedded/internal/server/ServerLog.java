package dev.howdah.embedded.internal.server;

import dev.howdah.embedded.internal.system.PrivateFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The server's log file: kept below a bound, and read for the reason of a failure. */
public record ServerLog(Path file) {
    private static final long LARGEST = 10L << 20;
    private static final int READ_BACK = 1 << 16;
    private static final int LINES = 4;
    private static final Pattern TELLING =
            Pattern.compile("\\b(FATAL|PANIC|ERROR|DETAIL|HINT): |^postgres: |^unshare: |^setpriv: |could not bind");
    private static final Pattern STAMP = Pattern.compile("^\\d{4}-\\d\\d-\\d\\d [^\\[]*\\[\\d+\\] ");

    /**
     * Puts a log that has grown large aside, over the one put aside before, and closes the file to other users: failed
     * statements are in it with what they hold.
     */
    void prepare() throws IOException {
        if (Files.exists(file) && Files.size(file) > LARGEST) {
            Files.move(file, file.resolveSibling("postgres.log.1"), StandardCopyOption.REPLACE_EXISTING);
        }
        PrivateFile.create(file);
        Path aside = file.resolveSibling("postgres.log.1");
        if (Files.exists(aside, LinkOption.NOFOLLOW_LINKS)) {
            PrivateFile.create(aside);
        }
    }

    long size() throws IOException {
        return Files.exists(file) ? Files.size(file) : 0;
    }

    /** The text since this offset, its end if it is long. */
    String since(long offset) throws IOException {
        try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
            long from = Math.max(offset, log.length() - READ_BACK);
            byte[] bytes = new byte[(int) (log.length() - from)];
            log.seek(from);
            log.readFully(bytes);
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    /** The last lines that tell why a server ended, in one line; the last line of all if none does. */
    public static String reason(String text) {
        List<String> lines = text.lines().filter(line -> !line.isBlank()).toList();
        List<String> telling = new ArrayList<>(
                lines.stream().filter(line -> TELLING.matcher(line).find()).toList());
        if (telling.isEmpty() && !lines.isEmpty()) {
            telling.add(lines.get(lines.size() - 1));
        }
        List<String> last = telling.subList(Math.max(0, telling.size() - LINES), telling.size());
        return String.join(
                " ",
                last.stream()
                        .map(line -> STAMP.matcher(line).replaceFirst("").replaceAll("\\s+", " "))
                        .toList());
    }
}
