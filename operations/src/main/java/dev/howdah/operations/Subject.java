package dev.howdah.operations;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A type of objects that operations change.
 *
 * @param one its name for people, such as {@code sweep}
 * @param many in routes and in the audit table, such as {@code sweeps}
 * @param key the parameters that name an object, in the order of its path
 * @param beside more parameters of the key, which are not in the path: those of an address behind the question mark, options of a command
 * @param page the path of its page in the console, with the names of the key in braces
 * @param list the path of the page that is shown after a change of objects without a page of their own; null: they have one
 * @param command the group of the command line, such as {@code job schedule}
 * @param image reads an object for the audit table
 */
public record Subject(
        String one,
        String many,
        List<Parameter<?>> key,
        List<Parameter<?>> beside,
        String page,
        @Nullable String list,
        String command,
        Image image) {
    public Subject {
        key = List.copyOf(key);
        beside = List.copyOf(beside);
    }

    /** Objects with a page of their own, named by their path. */
    public Subject(String one, String many, List<Parameter<?>> key, String page, String command, Image image) {
        this(one, many, key, List.of(), page, null, command, image);
    }

    /** Reads an object as it is. */
    @FunctionalInterface
    public interface Image {
        /** Null: there is no such object. */
        @Nullable
        Record read(Engine engine, Values key);
    }

    /** The same with more parameters of the key, which are not in the path. */
    public Subject with(Parameter<?>... more) {
        return new Subject(one, many, key, Arrays.asList(more), page, list, command, image);
    }

    /** The same for objects without a page of their own, which the page of that path lists. */
    public Subject listedOn(String path) {
        return new Subject(one, many, key, beside, page, path, command, image);
    }

    /** All parameters that name an object. */
    public List<Parameter<?>> names() {
        return Stream.concat(key.stream(), beside.stream()).toList();
    }

    /** The path of an object in the HTTP API, with the names of the key in braces. */
    public String route() {
        return "/" + many + key.stream().map(each -> "/{" + each.name() + "}").collect(Collectors.joining());
    }

    /** Whether each object has a page of its own. */
    public boolean hasPages() {
        return list == null;
    }

    /** The path of the page that lists objects, with names of the key in braces. */
    @Override
    public String list() {
        return Objects.requireNonNullElseGet(list, () -> page.substring(0, page.lastIndexOf("/{")));
    }

    /** An object as the audit table names it, such as {@code sweeps/invoices}. */
    public String object(Values object) {
        return many + "/" + path(object)
                + beside(object).values().stream().map(each -> " of " + each).collect(Collectors.joining());
    }

    /** An object for people, such as {@code sweep invoices}. */
    public String words(Values object) {
        return one + " " + path(object);
    }

    private String path(Values object) {
        Map<String, String> texts = object.texts();
        return key.stream().map(each -> texts.get(each.name())).collect(Collectors.joining("/"));
    }

    /** The texts of the parameters of an object's key that are not in its path. */
    public Map<String, String> beside(Values object) {
        Map<String, String> texts = object.texts();
        texts.keySet().retainAll(beside.stream().map(Parameter::name).toList());
        return texts;
    }
}
