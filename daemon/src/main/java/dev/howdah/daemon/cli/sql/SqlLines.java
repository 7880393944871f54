package dev.howdah.daemon.cli.sql;

import dev.howdah.internal.sql.SqlDialect;
import dev.howdah.internal.sql.SqlScanner;
import java.util.List;
import org.jline.reader.EOFError;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;

/** Says where a statement that is typed ends, and which word of it is completed. */
final class SqlLines implements Parser {
    /** The word that ends at the cursor. */
    private record Word(String line, int cursor, String word) implements ParsedLine {
        @Override
        public int wordCursor() {
            return word.length();
        }

        @Override
        public int wordIndex() {
            return 0;
        }

        @Override
        public List<String> words() {
            return List.of(word);
        }
    }

    @Override
    public ParsedLine parse(String line, int cursor, ParseContext context) {
        if (context == ParseContext.ACCEPT_LINE && !isComplete(line))
            throw new EOFError(-1, -1, "the statement has no semicolon yet");
        int begin = cursor;
        while (begin > 0 && isPartOfName(line.charAt(begin - 1))) begin--;
        return new Word(line, cursor, line.substring(begin, cursor));
    }

    private static boolean isPartOfName(char c) {
        return Character.isLetterOrDigit(c) || c == '_' || c == '.' || c == '"';
    }

    /** A semicolon inside of a string, a name or a comment ends nothing. */
    static boolean isComplete(String text) {
        String typed = text.strip();
        if (typed.isEmpty() || typed.startsWith("\\") || typed.matches("quit|exit")) return true;
        SqlScanner scanner = new SqlScanner(text, SqlDialect.POSTGRES);
        boolean ends = false;
        while (scanner.next()) if (scanner.isUnfinished() || !scanner.isBetween()) ends = scanner.is(';');
        return ends;
    }
}
