package dev.howdah.internal.http;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Pages that proxies and servers answer where something else was meant: their title and the first line of their text. */
public final class HtmlText {
    private static final Pattern START =
            Pattern.compile("(?is)^\\s*(<!doctype html|<html|<\\?xml[^>]*>\\s*<!doctype html).*");
    private static final Pattern TITLE = Pattern.compile("(?is)<title[^>]*>([^<]*)");
    /** Also at the end of a page that is cut. */
    private static final Pattern NO_TEXT =
            Pattern.compile("(?is)<!--.*?(-->|$)|<(title|script|style)\\b.*?(</\\2\\s*>|$)|<[^>]*(>|$)");

    private HtmlText() {}

    /** Whether a body is a page. */
    static boolean isPage(Optional<String> contentType, String body) {
        return contentType
                        .map(type -> type.regionMatches(true, 0, "text/html", 0, 9))
                        .orElse(false)
                || START.matcher(body).matches();
    }

    /** The title and the first line that says something else, or what there is of them. */
    public static String summary(String page) {
        Matcher found = TITLE.matcher(page);
        String title = found.find() ? plain(found.group(1)) : "";
        String line = NO_TEXT.matcher(page)
                .replaceAll("\n")
                .lines()
                .map(HtmlText::plain)
                .filter(each -> !each.isEmpty() && !each.equals(title))
                .findFirst()
                .orElse("");
        return title.isEmpty() || line.isEmpty() ? title + line : title + "; " + line;
    }

    private static String plain(String text) {
        return text.replace("&nbsp;", " ")
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&#39;", "'")
                .replace("&amp;", "&")
                .replaceAll("\\s+", " ")
                .strip();
    }
}
