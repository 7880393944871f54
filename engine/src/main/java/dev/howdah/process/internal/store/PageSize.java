package dev.howdah.process.internal.store;

/** The bounds of the number of rows in a list. */
public final class PageSize {
    public static final int MOST = 10_000;

    private PageSize() {}

    /**
     * Returns the number.
     *
     * @throws IllegalArgumentException if it is not 1 to 10,000
     */
    public static int checked(int rows) {
        if (rows < 1 || rows > MOST)
            throw new IllegalArgumentException("the limit has to be from 1 to " + MOST + ", not " + rows);
        return rows;
    }
}
