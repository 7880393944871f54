package dev.howdah.console.internal.page;

import dev.howdah.console.internal.view.Texts;
import dev.howdah.operations.value.Moments;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is asked for by the address of a page.
 *
 * @param path without the query, from {@code /} on
 * @param names the parts of the path that the route names
 * @param query the parameters after the question mark, in their order
 */
public record PageRequest(String path, Map<String, String> names, Map<String, List<String>> query) {
    public PageRequest {
        names = Map.copyOf(names);
        query = new LinkedHashMap<>(query);
    }

    /** The part of the path of that name. */
    public String name(String name) {
        String value = names.get(name);
        if (value == null) throw new IllegalArgumentException("the route has no " + name);
        return value;
    }

    /** A part of the key of an object: in the path, or the first value of that parameter; null: neither. */
    public @Nullable String key(String name) {
        List<String> values = query.getOrDefault(name, List.of());
        return names.getOrDefault(name, values.isEmpty() ? null : values.get(0));
    }

    /** The id in the path. */
    public long id() {
        return number("id", name("id"), 1, Long.MAX_VALUE);
    }

    /** The first value of that parameter; null if it is missing or empty. */
    public @Nullable String text(String parameter) {
        List<String> values = query.get(parameter);
        return values == null || values.isEmpty() || values.get(0).isBlank()
                ? null
                : values.get(0).strip();
    }

    /** The number in that parameter, within bounds. */
    public long number(String parameter, long usual, long least, long most) {
        String text = text(parameter);
        return text == null ? usual : number(parameter, text, least, most);
    }

    /**
     * A text as a number within bounds.
     *
     * @param what as the message names it
     */
    public static long number(String what, String text, long least, long most) {
        if (text.matches("\\d{1,19}")) {
            try {
                long value = Long.parseLong(text);
                if (value >= least && value <= most) return value;
            } catch (NumberFormatException e) {
                // Said below, as for all that is no such number.
            }
        }
        throw new BadRequestException(
                what + " has to be a number from " + least + " to " + most + ", not \"" + text + "\"");
    }

    /** The value of an enum in that parameter; null if it is missing. */
    public <E extends Enum<E>> @Nullable E choice(String parameter, Class<E> type) {
        String text = text(parameter);
        if (text == null) return null;
        List<String> names = new ArrayList<>();
        for (E each : type.getEnumConstants()) {
            String word = Texts.word(each);
            if (word.equalsIgnoreCase(text) || each.name().equalsIgnoreCase(text)) return each;
            names.add(word);
        }
        throw new BadRequestException(
                parameter + " has to be one of " + String.join(", ", names) + ", not \"" + text + "\"");
    }

    /** This page without a parameter. */
    public PageRequest without(String parameter) {
        Map<String, List<String>> rest = new LinkedHashMap<>(query);
        rest.remove(parameter);
        return new PageRequest(path, names, rest);
    }

    /**
     * The moment in that parameter: a time, a day in UTC, or one so long ago, such as {@code -1h} or {@code -7d}; null if it is missing.
     *
     * @param isEnd whether a day means its end
     */
    public @Nullable Instant moment(String parameter, boolean isEnd) {
        String text = text(parameter);
        if (text == null) return null;
        if (text.matches("-\\d{1,4}[hd]")) {
            long number = Long.parseLong(text.substring(1, text.length() - 1));
            return Instant.now().minus(text.endsWith("h") ? Duration.ofHours(number) : Duration.ofDays(number));
        }
        try {
            return Moments.parseOrDay(text, isEnd);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(parameter
                    + " has to be a time such as 2026-11-25T14:00:00Z, a day such as 2026-11-25, or -1h or -7d, not \""
                    + text + "\"");
        }
    }

    /** This page with another value of a parameter, from its first row on; null or an empty text leaves the parameter out. */
    public String with(String parameter, @Nullable String value) {
        Map<String, List<String>> changed = new LinkedHashMap<>(query);
        changed.remove("after");
        changed.remove("before");
        changed.remove(parameter);
        if (value != null && !value.isEmpty()) changed.put(parameter, List.of(value));
        return address(path, changed);
    }

    /** The parameters of these names that have a value. */
    public Map<String, String> fields(List<String> parameters) {
        Map<String, String> fields = new LinkedHashMap<>();
        for (String each : parameters) {
            String text = text(each);
            if (text != null) fields.put(each, text);
        }
        return fields;
    }

    /** The address of this page as it is. */
    public String address() {
        return address(path, query);
    }

    /** An address of that path and query, encoded. */
    public static String address(String path, Map<String, List<String>> query) {
        StringBuilder text = new StringBuilder(path);
        char before = '?';
        for (Map.Entry<String, List<String>> each : query.entrySet())
            for (String value : each.getValue()) {
                text.append(before).append(encoded(each.getKey())).append('=').append(encoded(value));
                before = '&';
            }
        return text.toString();
    }

    /** The name of an object in a path; {@code new} is spelled another way than the form for a new object. */
    public static String segment(String name) {
        return name.equals("new") ? "%6Eew" : encoded(name);
    }

    /** As it stands in an address. */
    public static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
