package dev.howdah.daemon.cli.top.list;

import java.util.List;

/**
 * What a list shows at one moment.
 *
 * @param summary numbers of the whole feature, on a line
 * @param empty what is said when there are no rows
 */
public record TopPage(String summary, List<TopColumn> columns, List<TopRow> rows, String empty) {
    public static final TopPage READING = new TopPage("", List.of(), List.of(), "Reading ...");

    public static TopPage of(String empty) {
        return new TopPage("", List.of(), List.of(), empty);
    }
}
