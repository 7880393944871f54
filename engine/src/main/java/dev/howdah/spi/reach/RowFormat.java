package dev.howdah.spi.reach;

/**
 * How rows become text in the output of a task, as its row says.
 *
 * @param header whether the names of columns stand above rows of more than one
 * @param quotesTexts whether numbers and truth values are left without quotes
 * @param delimiter between columns; empty for none
 * @param quote around values; empty for none
 * @param escape before a quote or escape in a quoted value; empty for none
 * @param nullText in place of a null
 */
public record RowFormat(
        boolean header, boolean quotesTexts, String delimiter, String quote, String escape, String nullText) {}
