package dev.howdah.sweep.internal.store;

import java.util.List;

/**
 * The key of a row.
 *
 * @param columns the values of its columns, as PostgreSQL writes them
 */
public record RowKey(List<String> columns) {
    @Override
    public String toString() {
        return text(columns);
    }

    public static String text(List<String> columns) {
        return columns.size() == 1 ? columns.get(0) : "(" + String.join(", ", columns) + ")";
    }

    /** The keys column by column, as statements take them. */
    public static String[][] arrays(List<RowKey> keys, int columns) {
        String[][] arrays = new String[columns][keys.size()];
        for (int column = 0; column < columns; column++)
            for (int row = 0; row < keys.size(); row++)
                arrays[column][row] = keys.get(row).columns().get(column);
        return arrays;
    }
}
