package dev.howdah.console.internal.page;

/**
 * What all templates get beside their model.
 *
 * @param base the path before each link, without a slash at its end; empty: none
 * @param csrf the token that each form sends
 * @param request the page
 */
public record View(String base, String csrf, PageRequest request) {
    /** A link to a path of the console. */
    public String link(String path) {
        return base + path;
    }

    /** A link to this page with another value of a parameter. */
    public String with(String parameter, String value) {
        return base + request.with(parameter, value);
    }
}
