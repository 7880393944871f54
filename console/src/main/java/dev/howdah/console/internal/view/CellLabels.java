package dev.howdah.console.internal.view;

import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes the heading of its column to each cell of lists: in a narrow window the stylesheet shows rows as cards, in which
 * the headings stand beside the values. In HTML of templates, in which texts of users are escaped.
 */
public final class CellLabels {
    private static final String TABLE = "<table class=\"rows";
    private static final Pattern HEADING = Pattern.compile("<th\\b[^>]*scope=\"col\"[^>]*>(.*?)</th>", Pattern.DOTALL);
    private static final Pattern MARKUP =
            Pattern.compile("<span aria-hidden=\"true\">[^<]*</span>|<[^>]*>", Pattern.DOTALL);
    private static final Pattern CELL = Pattern.compile("<(tr|t[dh])(?=[ >])");

    private CellLabels() {}

    /** The HTML with an attribute {@code data-label} at each cell of its lists. */
    public static String in(String html) {
        return in(html, Set.of());
    }

    /**
     * The HTML with an attribute {@code data-label} at each cell of its lists.
     *
     * @param hidden the headings of columns that are left out
     */
    public static String in(String html, Set<String> hidden) {
        int table = html.indexOf(TABLE);
        if (table < 0) return html;
        StringBuilder out = new StringBuilder(html.length() + 4096);
        int from = 0;
        while (table >= 0) {
            int body = html.indexOf("<tbody>", table);
            int end = html.indexOf("</table>", table);
            if (body < 0 || end < body) break;
            out.append(html, from, table).append(head(html.substring(table, body), hidden));
            label(html.substring(body, end), headings(html.substring(table, body)), hidden, out);
            from = end;
            table = html.indexOf(TABLE, end);
        }
        return out.append(html, from, html.length()).toString();
    }

    private static String heading(MatchResult found) {
        return MARKUP.matcher(found.group(1)).replaceAll("").strip().replace("\"", "&quot;");
    }

    private static List<String> headings(String head) {
        return HEADING.matcher(head).results().map(CellLabels::heading).toList();
    }

    private static String head(String head, Set<String> hidden) {
        if (hidden.isEmpty()) return head;
        return HEADING.matcher(head)
                .replaceAll(each -> Matcher.quoteReplacement(
                        hidden.contains(heading(each))
                                ? "<th hidden" + each.group().substring(3)
                                : each.group()));
    }

    private static void label(String body, List<String> headings, Set<String> hidden, StringBuilder out) {
        Matcher each = CELL.matcher(body);
        int from = 0;
        int column = 0;
        while (each.find()) {
            if (each.group(1).equals("tr")) {
                column = 0;
                continue;
            }
            String label = column < headings.size() ? headings.get(column) : "";
            column++;
            if (label.isEmpty()) continue;
            out.append(body, from, each.end())
                    .append(" data-label=\"")
                    .append(label)
                    .append('"');
            if (hidden.contains(label)) out.append(" hidden");
            from = each.end();
        }
        out.append(body, from, body.length());
    }
}
