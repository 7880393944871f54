package dev.howdah.console.internal.view;

import java.util.ArrayList;
import java.util.List;
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
        int table = html.indexOf(TABLE);
        if (table < 0) return html;
        StringBuilder out = new StringBuilder(html.length() + 4096);
        int from = 0;
        while (table >= 0) {
            int body = html.indexOf("<tbody>", table);
            int end = html.indexOf("</table>", table);
            if (body < 0 || end < body) break;
            out.append(html, from, body);
            label(html.substring(body, end), headings(html.substring(table, body)), out);
            from = end;
            table = html.indexOf(TABLE, end);
        }
        return out.append(html, from, html.length()).toString();
    }

    private static List<String> headings(String head) {
        List<String> headings = new ArrayList<>();
        Matcher each = HEADING.matcher(head);
        while (each.find())
            headings.add(MARKUP.matcher(each.group(1)).replaceAll("").strip().replace("\"", "&quot;"));
        return headings;
    }

    private static void label(String body, List<String> headings, StringBuilder out) {
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
            from = each.end();
        }
        out.append(body, from, body.length());
    }
}
