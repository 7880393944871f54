package dev.howdah.reach.internal.jdbc;

import dev.howdah.internal.sql.SqlDialect;
import dev.howdah.internal.sql.SqlStatement;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Takes a text apart into statements: at lines that are only {@code /} if there is one, else at semicolons. */
final class SqlSplitter {
    private static final Pattern SLASH = Pattern.compile("(?m)^[ \\t]*/[ \\t]*\\r?$");

    private SqlSplitter() {}

    /**
     * The statements, without what is blank or a comment alone.
     *
     * @param backslashes whether a backslash is an escape in quotes, and {@code #} begins a comment
     */
    static List<String> split(String text, boolean backslashes) {
        Stream<String> all = SLASH.matcher(text).find()
                ? SLASH.splitAsStream(text).filter(each -> !each.isBlank())
                : SqlStatement.in(text, backslashes ? SqlDialect.MYSQL : SqlDialect.OTHER).stream()
                        .map(SqlStatement::text);
        return all.map(String::strip).toList();
    }
}
