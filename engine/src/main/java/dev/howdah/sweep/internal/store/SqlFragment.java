package dev.howdah.sweep.internal.store;

import dev.howdah.internal.sql.SqlDialect;
import dev.howdah.internal.sql.SqlScanner;
import dev.howdah.sweep.SweepException;
import java.util.regex.Pattern;

/** A piece of SQL of the user's: a condition, what marks a row, a statement. It is put into statements as it is. */
public final class SqlFragment {
    private static final Pattern WITH = Pattern.compile("(?is)^WITH\\s+(RECURSIVE\\s+)?(.*)$");

    private SqlFragment() {}

    /**
     * As it can stand in a statement: what stands for the moment in which the sweep began is that moment.
     *
     * @param what for the message
     * @param started as PostgreSQL reads it
     * @throws SweepException if it is empty, is more than one statement, or has parameters
     */
    public static String of(String what, String text, String started) {
        String bare = text.strip();
        while (bare.endsWith(";")) bare = bare.substring(0, bare.length() - 1).stripTrailing();
        if (bare.isEmpty()) throw new SweepException(what + " is empty");
        StringBuilder out = new StringBuilder(bare.length());
        int depth = 0;
        boolean colon = false;
        SqlScanner scanner = new SqlScanner(bare, SqlDialect.POSTGRES);
        while (scanner.next()) {
            if (scanner.is(';')) throw new SweepException(what + " is more than one statement: " + shown(bare));
            if (scanner.is('(')) depth++;
            if (scanner.is(')') && --depth < 0) throw new SweepException(what + " has a ) without a (: " + shown(bare));
            if (scanner.kind() == SqlScanner.Kind.PARAMETER)
                throw new SweepException(what + " has parameters ($1), for which there are no values: " + shown(bare));
            if (colon && scanner.token().equals("started"))
                out.replace(out.length() - 1, out.length(), "timestamptz '" + started + '\'');
            else out.append(scanner.token());
            colon = scanner.is(':');
        }
        if (depth > 0) throw new SweepException(what + " has a ( without a ): " + shown(bare));
        return out.append('\n').toString(); // behind a comment of the user's nothing would count
    }

    /** A statement behind {@code WITH batch AS (...)}: what it defines itself comes behind that. */
    public static String behindWith(String statement) {
        var with = WITH.matcher(statement.strip());
        return with.matches() ? ", " + with.group(2) + "\n" : statement;
    }

    /** Returns whether it wants {@code WITH RECURSIVE}. */
    public static boolean isRecursive(String statement) {
        var with = WITH.matcher(statement.strip());
        return with.matches() && with.group(1) != null;
    }

    /** At most so much of it as fits into a message. */
    public static String shown(String text) {
        String line = text.strip().replaceAll("\\s+", " ");
        return line.length() <= 200 ? line : line.substring(0, 200) + "...";
    }
}
