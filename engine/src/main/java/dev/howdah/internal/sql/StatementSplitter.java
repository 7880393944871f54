package dev.howdah.internal.sql;

import java.util.ArrayList;
import java.util.List;

/**
 * Cuts a text of several statements where the server's parser cuts it: at semicolons outside of strings, quoted names,
 * comments, parentheses and the bodies of SQL functions. Used by one thread.
 */
public final class StatementSplitter {
    private final String text;
    private final SqlScanner scanner;
    private final List<String> found = new ArrayList<>();
    private int begun;
    private boolean empty = true;
    private int parentheses;
    private int words;
    private boolean makesRoutine;
    private int blocks;

    private StatementSplitter(String text) {
        this.text = text;
        this.scanner = new SqlScanner(text, true);
    }

    /** The statements, without their semicolons; what holds comments only is none. */
    public static List<String> of(String text) {
        StatementSplitter statements = new StatementSplitter(text);
        while (!statements.scanner.isAtEnd()) statements.step();
        statements.cut();
        return statements.found;
    }

    private void step() {
        if (scanner.between()) return;
        char c = scanner.next();
        if (c == ';' && parentheses == 0 && blocks == 0) {
            cut();
            return;
        }
        empty = false;
        if (scanner.isAtName()) {
            word(String.valueOf(scanner.word()));
            return;
        }
        if (c == '(') parentheses++;
        if (c == ')' && parentheses > 0) parentheses--;
        scanner.skip();
    }

    /** A word; in the body of an SQL function BEGIN and CASE open a block that END closes. */
    private void word(String word) {
        words++;
        if (words == 1) makesRoutine = word.equals("CREATE");
        else if (words == 2 && !word.matches("OR|FUNCTION|PROCEDURE")) makesRoutine = false;
        else if (makesRoutine && (word.equals("BEGIN") || blocks > 0 && word.equals("CASE"))) blocks++;
        else if (blocks > 0 && word.equals("END")) blocks--;
    }

    private void cut() {
        if (!empty) found.add(text.substring(begun, scanner.at()));
        scanner.step();
        begun = scanner.at();
        empty = true;
        words = 0;
        makesRoutine = false;
    }
}
