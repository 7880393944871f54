package dev.howdah.internal.sql;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One or more statements with numbered parameters ({@code $1}, {@code $2}, ...), translated to the question marks
 * of JDBC. Immutable and safe for use by many threads.
 */
public final class Sql {
    private final String jdbc;
    private final @Nullable String before12;
    private final int[] order;
    private final int parameters;

    private Sql(String jdbc, int[] order, int parameters) {
        this.jdbc = jdbc;
        this.before12 = OlderServers.before12(jdbc);
        this.order = order;
        this.parameters = parameters;
    }

    /** Reads the parameters in {@code text}, leaving strings, quoted names, comments and dollar quotes alone. */
    public static Sql of(String text) {
        StringBuilder out = new StringBuilder(text.length());
        List<Integer> order = new ArrayList<>();
        int i = 0;
        while (i < text.length()) {
            int end = literalEnd(text, i);
            if (end > i) {
                out.append(text, i, end);
                i = end;
            } else if (text.charAt(i) == '$' && i + 1 < text.length() && Character.isDigit(text.charAt(i + 1))) {
                int digits = i + 1;
                while (digits < text.length() && Character.isDigit(text.charAt(digits))) digits++;
                order.add(Integer.parseInt(text.substring(i + 1, digits)));
                out.append('?');
                i = digits;
            } else {
                out.append(text.charAt(i++));
            }
        }
        int[] positions = order.stream().mapToInt(Integer::intValue).toArray();
        return new Sql(out.toString(), positions, Arrays.stream(positions).max().orElse(0));
    }

    /** The end of the string, quoted name, comment or dollar-quoted body that begins at {@code i}; {@code i} if none. */
    public static int literalEnd(String text, int i) {
        if (text.charAt(i) == '\'' || text.charAt(i) == '"') return after(text, text.substring(i, i + 1), i + 1);
        if (text.startsWith("--", i)) return after(text, "\n", i);
        if (text.startsWith("/*", i)) return after(text, "*/", i);
        if (text.charAt(i) == '$') {
            int close = text.indexOf('$', i + 1);
            if (close > 0 && text.substring(i + 1, close).matches("([A-Za-z_]\\w*)?"))
                return after(text, text.substring(i, close + 1), close + 1);
        }
        return i;
    }

    private static int after(String text, String mark, int from) {
        int at = text.indexOf(mark, from);
        return at < 0 ? text.length() : at + mark.length();
    }

    /** How many parameters the statement takes. */
    public int parameters() {
        return parameters;
    }

    /**
     * This statement followed by another in the same message: one round trip, one implicit transaction. The
     * parameters of {@code next} are numbered after those of this one.
     */
    public Sql then(Sql next) {
        int[] joined = Arrays.copyOf(order, order.length + next.order.length);
        for (int i = 0; i < next.order.length; i++) joined[order.length + i] = next.order[i] + parameters;
        return new Sql(jdbc + ";\n" + next.jdbc, joined, parameters + next.parameters);
    }

    /** The text as JDBC takes it, for PostgreSQL 12 and later. */
    public String jdbc() {
        return jdbc;
    }

    /** The text as JDBC takes it, for the server of that connection. */
    public String jdbc(Connection connection) throws SQLException {
        return before12 != null && OlderServers.isBefore12(connection) ? before12 : jdbc;
    }

    /**
     * A prepared statement with its parameters set. Arrays of objects become SQL arrays: {@code Long[]},
     * {@code Integer[]}, {@code Boolean[]} and {@code String[]} are known.
     *
     * @throws SQLException as the driver does
     * @throws IllegalArgumentException if the number of values is not {@link #parameters()}
     */
    public PreparedStatement prepare(Connection connection, @Nullable Object... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(jdbc(connection));
        try {
            bind(statement, values);
            return statement;
        } catch (SQLException | RuntimeException e) {
            statement.close();
            throw e;
        }
    }

    /** Sets the parameters of a statement that was prepared from {@link #jdbc()}. */
    public void bind(PreparedStatement statement, @Nullable Object... values) throws SQLException {
        if (values.length != parameters)
            throw new IllegalArgumentException(parameters + " parameters wanted, " + values.length + " given: " + jdbc);
        Connection connection = statement.getConnection();
        @Nullable Object[] ready = Stream.of(values).toArray();
        for (int i = 0; i < ready.length; i++)
            if (ready[i] instanceof Object[] array && !(ready[i] instanceof byte[][]))
                ready[i] = sqlArray(connection, array);
        for (int i = 0; i < order.length; i++) statement.setObject(i + 1, ready[order[i] - 1]);
    }

    private static Array sqlArray(Connection connection, Object[] array) throws SQLException {
        String type = switch (array.getClass().getComponentType().getSimpleName()) {
            case "Long" -> "int8";
            case "Integer" -> "int4";
            case "Boolean" -> "bool";
            default -> "text";
        };
        return connection.createArrayOf(type, array);
    }
}
