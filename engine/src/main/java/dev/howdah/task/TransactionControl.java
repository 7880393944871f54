package dev.howdah.task;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds statements that would end the transaction they run in: BEGIN, START TRANSACTION, COMMIT, END, ROLLBACK, ABORT,
 * PREPARE TRANSACTION and their variants; not SAVEPOINT, RELEASE and ROLLBACK TO. Reads a text as PostgreSQL's scanner
 * does: strings of all kinds, quoted names, dollar quotes, nested comments, parentheses, and bodies in BEGIN ATOMIC hide
 * what is in them. For one text and one thread.
 */
final class TransactionControl {
    private static final Set<String> ALWAYS = Set.of("BEGIN", "COMMIT", "END", "ABORT");

    /** More words of a statement need not be remembered. */
    private static final int HEAD = 4;

    private final String text;
    private final boolean plainBackslashes;
    private int at;

    private TransactionControl(String text, boolean plainBackslashes) {
        this.text = text;
        this.plainBackslashes = plainBackslashes;
    }

    /**
     * The first statement that would end the transaction, as its first words; null if there is none.
     *
     * @param plainBackslashes whether a backslash is an ordinary character in a plain string
     *     ({@code standard_conforming_strings})
     */
    static @Nullable String find(String text, boolean plainBackslashes) {
        return new TransactionControl(text, plainBackslashes).find();
    }

    private @Nullable String find() {
        List<String> head = new ArrayList<>();
        String before = "";
        int parentheses = 0;
        int bodies = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (between(c)) continue;
            String word = isNameStart(c) ? word() : null;
            if (word != null) {
                if (head.size() < HEAD) head.add(word);
                bodies += bodies(head.get(0), before, word, bodies);
            } else if (c == ';' && parentheses == 0 && bodies == 0) {
                if (endsTransaction(head)) break;
                head.clear();
                at++;
            } else if (c == '(' || c == ')') {
                parentheses = Math.max(0, parentheses + (c == '(' ? 1 : -1));
                at++;
            } else if (!isNameStart(c)) {
                skip(c);
            }
            before = word == null ? "" : word;
        }
        return endsTransaction(head) ? String.join(" ", head) : null;
    }

    /** How many more bodies are open after this word: BEGIN ATOMIC ... END, and CASE ... END in them. */
    private static int bodies(String first, String before, String word, int open) {
        if (open > 0 && word.equals("CASE")) return 1;
        if (open > 0 && word.equals("END")) return -1;
        return open == 0 && first.equals("CREATE") && before.equals("BEGIN") && word.equals("ATOMIC") ? 1 : 0;
    }

    private static boolean endsTransaction(List<String> head) {
        if (head.isEmpty()) return false;
        String second = head.size() > 1 ? head.get(1) : "";
        String third = head.size() > 2 ? head.get(2) : "";
        return switch (head.get(0)) {
            case "ROLLBACK" ->
                !second.equals("TO")
                        && !(third.equals("TO") && (second.equals("WORK") || second.equals("TRANSACTION")));
            case "START" -> second.equals("TRANSACTION");
            case "PREPARE" -> second.equals("TRANSACTION") && !third.equals("AS"); // a name like any other
            default -> ALWAYS.contains(head.get(0));
        };
    }

    private static boolean isNameStart(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80;
    }

    /** A name or key word, in capitals; null if it was the beginning of a string such as E'...'. */
    private @Nullable String word() {
        int begin = at;
        while (at < text.length() && (isNameStart(text.charAt(at)) || isDigit(at) || text.charAt(at) == '$')) at++;
        String word = capitals(text.substring(begin, at));
        if (at == text.length() || text.charAt(at) != '\'') return word;
        switch (word) {
            case "E" -> string(true);
            case "B", "X" -> string(false);
            case "N" -> string(!plainBackslashes);
            default -> {
                return word;
            }
        }
        return null;
    }

    /** Only a to z are the same in capitals to PostgreSQL's scanner; to Java an dotless i were an I, too. */
    private static String capitals(String word) {
        StringBuilder capitals = new StringBuilder(word);
        for (int i = 0; i < word.length(); i++) {
            char c = word.charAt(i);
            if (c >= 'a' && c <= 'z') capitals.setCharAt(i, (char) (c - 'a' + 'A'));
        }
        return capitals.toString();
    }

    private boolean isDigit(int i) {
        return i < text.length() && text.charAt(i) >= '0' && text.charAt(i) <= '9';
    }

    /** Moves over white space or a comment, if there is one. */
    private boolean between(char c) {
        if (Character.isWhitespace(c)) at++;
        else if (text.startsWith("--", at)) line();
        else if (text.startsWith("/*", at)) comment();
        else return false;
        return true;
    }

    private void skip(char c) {
        if (c == '\'') string(!plainBackslashes);
        else if (c == '"') quotedName();
        else if (c == '$') dollar();
        else at++;
    }

    /** A string whose quote is here, with what continues it on further lines. */
    private void string(boolean backslashes) {
        do {
            at++;
            while (at < text.length() && text.charAt(at) != '\'') at += backslashes && text.charAt(at) == '\\' ? 2 : 1;
            at++;
        } while (at < text.length() && (text.charAt(at) == '\'' || continues()));
        at = Math.min(at, text.length());
    }

    /** Whether the string that has just ended goes on behind a line break; then moves there. */
    private boolean continues() {
        int i = at;
        boolean broken = false;
        while (i < text.length() && text.charAt(i) != '\'') {
            if (text.startsWith("--", i)) {
                while (i < text.length() && !isBreak(i)) i++;
            } else if (Character.isWhitespace(text.charAt(i))) {
                broken |= isBreak(i);
                i++;
            } else {
                return false;
            }
        }
        if (!broken || i >= text.length()) return false;
        at = i;
        return true;
    }

    private boolean isBreak(int i) {
        return text.charAt(i) == '\n' || text.charAt(i) == '\r';
    }

    private void quotedName() {
        int close = text.indexOf('"', at + 1);
        at = close < 0 ? text.length() : close + 1;
    }

    /** A dollar-quoted string, a parameter, or a dollar that is nothing. */
    private void dollar() {
        int i = at + 1;
        if (!isDigit(i)) while (i < text.length() && (isNameStart(text.charAt(i)) || isDigit(i))) i++;
        if (i >= text.length() || text.charAt(i) != '$') {
            at++;
            return;
        }
        String mark = text.substring(at, i + 1);
        int close = text.indexOf(mark, i + 1);
        at = close < 0 ? text.length() : close + mark.length();
    }

    private void line() {
        while (at < text.length() && !isBreak(at)) at++;
    }

    private void comment() {
        int depth = 0;
        do {
            boolean opens = text.startsWith("/*", at);
            boolean closes = text.startsWith("*/", at);
            if (opens) depth++;
            if (closes) depth--;
            at += opens || closes ? 2 : 1;
        } while (depth > 0 && at < text.length());
    }
}
