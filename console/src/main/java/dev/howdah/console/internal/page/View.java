package dev.howdah.console.internal.page;

import dev.howdah.console.internal.mask.Masker;
import dev.howdah.operations.Role;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What all templates get beside their model.
 *
 * @param base the path before each link, without a slash at its end; empty: none
 * @param csrf the token that each form sends
 * @param request the page
 * @param role of the caller
 * @param mask hides secrets from the caller in a text that is not written as it is
 * @param changes whether the caller may change something at that path
 */
public record View(
        String base,
        String csrf,
        PageRequest request,
        Role role,
        UnaryOperator<String> mask,
        Predicate<String> changes) {
    /** Whether the caller may send a form to that path, with or without a query. */
    public boolean may(String path) {
        int mark = path.indexOf('?');
        return changes.test(mark < 0 ? path : path.substring(0, mark));
    }

    /** Whether the caller may also add, edit and delete. */
    public boolean isAdministrator() {
        return role == Role.ADMINISTRATOR;
    }

    /** A text as the caller may see it; null stays null. */
    public @Nullable String shown(@Nullable String text) {
        return text == null ? null : mask.apply(text);
    }

    /** The value of a field as the caller may see it: nothing of one whose name says that it is a secret. */
    public String shown(String name, String value) {
        String named = "{\"" + name + "\": \"-\"}";
        return mask.apply(named).equals(named) ? mask.apply(value) : Masker.MASK;
    }

    /** A link to a path of the console. */
    public String link(String path) {
        return base + path;
    }

    /** A link to this page with another value of a parameter. */
    public String with(String parameter, String value) {
        return base + request.with(parameter, value);
    }

    /**
     * The rows of a list as a file, with the filters and the order of this page.
     *
     * @param list its path in the HTTP API; null: that of the page
     * @param format of the file: csv, or lines of JSON
     */
    public String file(@Nullable String list, String format) {
        Map<String, List<String>> query = new LinkedHashMap<>(request.query());
        for (String each : List.of("after", "before", "limit")) query.remove(each);
        query.put("format", List.of(format));
        return PageRequest.address("/files" + (list == null ? request.path() : list), query);
    }
}
