package dev.howdah.internal.sql;

import dev.howdah.internal.text.StorableText;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One or more statements with numbered parameters ({@code $1}, {@code $2}, ...), translated to the question marks
 * of JDBC. Immutable and safe for use by many threads.
 */
public final class Sql {
    private final Supplier<Form> translation;

    /** Translated when it is asked for: most programs use few of the statements that their classes name. */
    private volatile @Nullable Form form;

    /**
     * @param jdbc with question marks
     * @param before12 the same for servers before PostgreSQL 12; null: the same text
     * @param order for each question mark the number of its parameter
     * @param parameters how many there are
     * @param record where their values are, if they are the components of a record
     */
    private record Form(
            String jdbc,
            @Nullable String before12,
            int[] order,
            int parameters,
            @Nullable RecordValues record) {
        Form(String jdbc, int[] order, int parameters, @Nullable RecordValues record) {
            this(jdbc, OlderServers.before12(jdbc), order, parameters, record);
        }
    }

    private Sql(Supplier<Form> translation) {
        this.translation = translation;
    }

    /** Reads the parameters in {@code text}, leaving strings, quoted names, comments and dollar quotes alone. */
    public static Sql of(String text) {
        return new Sql(() -> translate(text, null));
    }

    /**
     * A statement of a file, read when it is first used.
     *
     * @param record where its values are; null: they are given one after the other
     */
    static Sql of(Supplier<NamedParameters> named, Function<NamedParameters, @Nullable RecordValues> record) {
        return new Sql(() -> {
            NamedParameters read = named.get();
            return translate(read.text(), record.apply(read));
        });
    }

    private Form form() {
        Form known = form;
        if (known != null) return known;
        Form made = translation.get();
        form = made;
        return made;
    }

    private static Form translate(String text, @Nullable RecordValues record) {
        NumberedParameters found = NumberedParameters.in(text, true);
        int[] order = found.order().stream().mapToInt(Integer::intValue).toArray();
        return new Form(found.jdbc(), order, found.highest(), record);
    }

    /** How many parameters the statement takes. */
    public int parameters() {
        return form().parameters();
    }

    /**
     * This statement followed by another in the same message: one round trip, one implicit transaction. The
     * parameters of {@code next} are numbered after those of this one.
     */
    public Sql then(Sql next) {
        return new Sql(() -> join(form(), next.form()));
    }

    private static Form join(Form first, Form second) {
        if (first.record() != null || second.record() != null)
            throw new IllegalArgumentException("a record has the values of one statement: " + first.jdbc());
        int marks = first.order().length;
        int[] order = Arrays.copyOf(first.order(), marks + second.order().length);
        for (int i = marks; i < order.length; i++) order[i] = second.order()[i - marks] + first.parameters();
        return new Form(first.jdbc() + ";\n" + second.jdbc(), order, first.parameters() + second.parameters(), null);
    }

    /** The text as JDBC takes it, for PostgreSQL 12 and later. */
    public String jdbc() {
        return form().jdbc();
    }

    /** The text as JDBC takes it, for the server of that connection. */
    public String jdbc(Connection connection) throws SQLException {
        Form known = form();
        String before12 = known.before12();
        return before12 != null && OlderServers.isBefore12(connection) ? before12 : known.jdbc();
    }

    /**
     * A prepared statement with its parameters set: one value for each, or the record that has them all. Arrays of objects become SQL arrays: {@code Long[]},
     * {@code Integer[]}, {@code Boolean[]} and {@code String[]} are known.
     *
     * @throws SQLException as the driver does, and if a text has half a character
     * @throws IllegalArgumentException if the number of values is not {@link #parameters()}, or the record is not of the statement's type
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
        Form known = form();
        if (known.record() != null && values.length == 1 && values[0] instanceof Record record)
            values = known.record().from(record);
        else if (known.record() != null || values.length != known.parameters())
            throw new IllegalArgumentException(known.parameters() + " parameters wanted, " + values.length + " given"
                    + (known.record() == null ? ": " : " as values and not as a record: ") + known.jdbc());
        Connection connection = statement.getConnection();
        @Nullable Object[] ready = Arrays.copyOf(values, values.length, Object[].class);
        for (int i = 0; i < ready.length; i++)
            if (ready[i] instanceof String text) StorableText.check(text);
            else if (ready[i] instanceof Object[] array && !(ready[i] instanceof byte[][]))
                ready[i] = sqlArray(connection, array);
        int[] order = known.order();
        for (int i = 0; i < order.length; i++) statement.setObject(i + 1, ready[order[i] - 1]);
    }

    private static Array sqlArray(Connection connection, Object[] array) throws SQLException {
        String type = switch (array.getClass().getComponentType().getSimpleName()) {
            case "Long" -> "int8";
            case "Integer" -> "int4";
            case "Boolean" -> "bool";
            default -> "text";
        };
        for (Object each : array) if (each instanceof String text) StorableText.check(text);
        return connection.createArrayOf(type, array);
    }
}
