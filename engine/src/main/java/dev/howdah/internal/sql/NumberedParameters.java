package dev.howdah.internal.sql;

import java.util.ArrayList;
import java.util.List;

/**
 * A statement with numbered parameters ({@code $1}, {@code $2}, ...), as JDBC takes it: with question
 * marks for them, and its own question marks, which are operators, doubled. Immutable.
 *
 * @param jdbc the text for JDBC
 * @param order which parameter each question mark stands for, from 1
 */
public record NumberedParameters(String jdbc, List<Integer> order) {
    private static final int LONGEST = 5;

    public NumberedParameters {
        order = List.copyOf(order);
    }

    /**
     * Finds the parameters; what is in strings, quoted names, dollar quotes and comments is none.
     *
     * @param plainBackslashes whether a backslash is an ordinary character in a plain string
     *     ({@code standard_conforming_strings})
     * @throws IllegalArgumentException if a parameter has a number that PostgreSQL does not take
     */
    public static NumberedParameters in(String text, boolean plainBackslashes) {
        StringBuilder jdbc = new StringBuilder(text.length() + 16);
        List<Integer> order = new ArrayList<>();
        SqlScanner scanner = new SqlScanner(text, SqlDialect.postgres(plainBackslashes));
        while (scanner.next()) {
            switch (scanner.kind()) {
                case PARAMETER -> {
                    order.add(number(text.substring(scanner.begin() + 1, scanner.end())));
                    jdbc.append('?');
                }
                case OPERATOR -> jdbc.append(scanner.token().replace("?", "??"));
                default -> jdbc.append(text, scanner.begin(), scanner.end());
            }
        }
        return new NumberedParameters(jdbc.toString(), order);
    }

    private static int number(String digits) {
        int number = digits.length() > LONGEST ? 0 : Integer.parseInt(digits);
        if (number < 1 || number > 65_535)
            throw new IllegalArgumentException("there is no parameter $" + digits + ": they are $1 to $65535");
        return number;
    }

    /** The highest number of a parameter; 0 if there is none. */
    public int highest() {
        return order.stream().mapToInt(Integer::intValue).max().orElse(0);
    }
}
