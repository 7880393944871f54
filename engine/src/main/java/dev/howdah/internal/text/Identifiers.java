package dev.howdah.internal.text;

/** Quotes names for use in SQL. */
public final class Identifiers {
    private Identifiers() {}

    /**
     * The name in double quotes, which are doubled inside it.
     *
     * @throws IllegalArgumentException if the name is empty or holds a NUL character: PostgreSQL has no such names
     */
    public static String quote(String name) {
        if (name.isEmpty() || name.indexOf('\0') >= 0)
            throw new IllegalArgumentException("not a name for PostgreSQL: '" + name.replace("\0", "\\0") + "'");
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    /** Schema and name, both quoted, with a dot between them. */
    public static String quote(String schema, String name) {
        return quote(schema) + "." + quote(name);
    }
}
