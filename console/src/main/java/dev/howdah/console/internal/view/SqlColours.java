package dev.howdah.console.internal.view;

import dev.howdah.internal.sql.SqlDialect;
import dev.howdah.internal.sql.SqlScanner;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** SQL as HTML with a class for each kind of word. All text is escaped here. */
public final class SqlColours {
    private static final int MOST = 200_000;

    private static final Set<String> KEYWORDS =
            Set.of(("add all alter analyze and any array as asc begin between by call case"
                            + " cast check collate column commit concurrently conflict constraint copy create cross current"
                            + " cursor database declare default delete desc distinct do drop else end except execute exists"
                            + " explain extension false fetch filter for foreign from full function grant group having if ilike"
                            + " in index inner insert intersect interval into is join key language lateral left like limit"
                            + " listen lock materialized not notify null nulls of offset on or order outer over partition"
                            + " primary procedure references refresh reindex release replace return returning returns revoke"
                            + " right role rollback row schema select sequence set show skip some table temporary then to"
                            + " transaction trigger true truncate type union unique update user using vacuum values view when"
                            + " where window with")
                    .split(" "));

    private SqlColours() {}

    public static String html(@Nullable String sql) {
        String text = Texts.visible(sql);
        if (text.length() > MOST) return escaped(text);
        StringBuilder html = new StringBuilder(text.length() * 2);
        SqlScanner tokens = new SqlScanner(text, SqlDialect.POSTGRES);
        while (tokens.next()) span(html, kind(tokens), tokens.token());
        return html.toString();
    }

    /**
     * The same with a mark at a place.
     *
     * @param at the place in {@code sql}; null: there is no mark
     */
    public static String html(String sql, @Nullable ErrorPosition at) {
        if (at == null) return html(sql);
        int end = at.index();
        if (end < sql.length()) {
            SqlScanner token = new SqlScanner(sql.substring(end), SqlDialect.POSTGRES);
            end = token.next() && token.kind() != SqlScanner.Kind.SPACE
                    ? end + token.end()
                    : sql.offsetByCodePoints(end, 1);
        }
        String marked = end == at.index() ? " " : sql.substring(at.index(), end);
        return html(sql.substring(0, at.index())) + "<mark class=\"sql-at\">" + escaped(Texts.visible(marked))
                + "</mark>" + html(sql.substring(end));
    }

    private static String kind(SqlScanner token) {
        return switch (token.kind()) {
            case COMMENT -> "c";
            case STRING -> "s";
            case NUMBER -> "n";
            case WORD -> KEYWORDS.contains(token.token().toLowerCase(Locale.ROOT)) ? "k" : "";
            default -> "";
        };
    }

    private static void span(StringBuilder html, String kind, String token) {
        if (kind.isEmpty()) html.append(escaped(token));
        else
            html.append("<span class=\"sql-")
                    .append(kind)
                    .append("\">")
                    .append(escaped(token))
                    .append("</span>");
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }
}
