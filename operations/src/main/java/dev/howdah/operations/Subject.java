package dev.howdah.operations;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A type of objects that operations change.
 *
 * @param one its name for people, such as {@code sweep}
 * @param many in routes and in the audit table, such as {@code sweeps}
 * @param key the parameters that name an object, in the order of its path
 * @param page the path of its page in the console, with the names of the key in braces
 * @param home the path of the page that shows it, where it has none of its own; null: it has one
 * @param command the group of the command line, such as {@code job schedule}
 * @param image reads an object for the audit table
 */
public record Subject(
        String one,
        String many,
        List<Parameter<?>> key,
        String page,
        @Nullable String home,
        String command,
        Image image) {
    public Subject {
        key = List.copyOf(key);
    }

    /** One with a page of its own. */
    public Subject(String one, String many, List<Parameter<?>> key, String page, String command, Image image) {
        this(one, many, key, page, null, command, image);
    }

    /** Reads an object as it is. */
    @FunctionalInterface
    public interface Image {
        /** Null: there is no such object. */
        @Nullable
        Record read(Engine engine, Values key);
    }

    /** The path of an object in the HTTP API, with the names of the key in braces. */
    public String route() {
        return "/" + many + key.stream().map(each -> "/{" + each.name() + "}").collect(Collectors.joining());
    }

    /** The path of the page that lists objects, or shows them. */
    public String list() {
        return home != null ? home : page.substring(0, page.indexOf("/{"));
    }

    /** An object as the audit table names it, such as {@code sweeps/invoices}. */
    public String object(Values object) {
        return many + "/" + String.join("/", object.texts().values());
    }

    /** An object for people, such as {@code sweep invoices}. */
    public String words(Values object) {
        return one + " " + String.join("/", object.texts().values());
    }
}
