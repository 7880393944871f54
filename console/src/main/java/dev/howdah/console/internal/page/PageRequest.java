package dev.howdah.console.internal.page;

import dev.howdah.console.internal.view.Texts;
import dev.howdah.operations.Engine;
import dev.howdah.operations.list.ListCall;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.list.ListPage;
import dev.howdah.operations.list.MissingObjectException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
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
    /** The rows of a page of a list. */
    private static final int ROWS = 50;

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

    /** What this page asks of a list, by its parameters. */
    public ListCall call(ListModel<?> list, Engine engine) {
        try {
            ListCall call = list.call(engine, this::key, this::text);
            boolean isShort = list.isPaged() && text("limit") == null && call.limit() > ROWS;
            return isShort ? new ListCall(engine, call.key(), call.values(), call.place(), ROWS) : call;
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(String.valueOf(e.getMessage()));
        }
    }

    /** Reads what this page asks of a list. */
    public <R> ListPage<R> read(ListModel<R> list, Engine engine) {
        ListCall call = call(list, engine);
        try {
            return list.read(call);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(String.valueOf(e.getMessage()));
        } catch (MissingObjectException e) {
            String words = String.valueOf(e.getMessage());
            throw new NotFoundException(words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1) + ".");
        }
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
