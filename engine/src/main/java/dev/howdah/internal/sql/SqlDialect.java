package dev.howdah.internal.sql;

/** The rules by which a text of SQL falls into tokens, where databases and their settings differ. */
public enum SqlDialect {
    /** PostgreSQL, where a backslash is an ordinary character in a plain string. */
    POSTGRES(false),
    /** PostgreSQL with {@code standard_conforming_strings} off. */
    POSTGRES_BACKSLASHES(true),
    /** A database of another make: no literals with a letter in front, no nested comments, names in backticks too. */
    OTHER(false),
    /** The same with backslashes in strings, and comments that begin with {@code #}. */
    MYSQL(true);

    private final boolean backslashes;

    SqlDialect(boolean backslashes) {
        this.backslashes = backslashes;
    }

    /** @param plainBackslashes whether a backslash is an ordinary character in a plain string */
    public static SqlDialect postgres(boolean plainBackslashes) {
        return plainBackslashes ? POSTGRES : POSTGRES_BACKSLASHES;
    }

    /** Whether a backslash in a plain string takes the meaning of the next character away. */
    boolean hasBackslashes() {
        return backslashes;
    }

    boolean isPostgres() {
        return this == POSTGRES || this == POSTGRES_BACKSLASHES;
    }
}
