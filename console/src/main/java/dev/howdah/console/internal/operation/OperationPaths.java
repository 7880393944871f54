package dev.howdah.console.internal.operation;

import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.operations.Operation;
import dev.howdah.operations.Subject;
import dev.howdah.operations.Values;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Paths of pages of objects, and of the forms that change them. */
public final class OperationPaths {
    /** The parameter of a button on a list, which is shown again: the view of the page, or {@link #LIST}. */
    static final String FROM = "from";

    /** A list that is its page. */
    static final String LIST = "list";

    private OperationPaths() {}

    /** The path of the page of an object, encoded. */
    public static String page(Subject subject, Values key) {
        return filled(subject.page(), key);
    }

    /**
     * The path of the page that lists objects such as that one, encoded.
     *
     * @param view of that page; null: its first one
     */
    static String list(Subject subject, Values key, @Nullable String view) {
        String path = filled(subject.list(), key);
        return view == null ? path : PageRequest.address(path, Map.of("view", List.of(view)));
    }

    private static String filled(String pattern, Values key) {
        String path = pattern;
        for (Map.Entry<String, String> each : key.texts().entrySet())
            path = path.replace("{" + each.getKey() + "}", PageRequest.segment(each.getValue()));
        return path;
    }

    /** The address of the page of an object, with what is beside its path, encoded. */
    static String address(Subject subject, Values key) {
        Map<String, List<String>> query = new LinkedHashMap<>();
        subject.beside(key).forEach((name, value) -> query.put(name, List.of(value)));
        return PageRequest.address(page(subject, key), query);
    }

    /** The path to which the form of an operation is sent, with what is beside it, encoded. */
    public static String of(Operation operation, Values key) {
        return of(operation, key, null);
    }

    /** @param from the list with the button, which is shown again; null: the page of the object is shown */
    public static String of(Operation operation, Values key, @Nullable String from) {
        Map<String, List<String>> query = new LinkedHashMap<>();
        operation.subject().beside(key).forEach((name, value) -> query.put(name, List.of(value)));
        if (from != null) query.put(FROM, List.of(from));
        return PageRequest.address(page(operation.subject(), key) + "/" + operation.verb(), query);
    }

    /** The path to which its form is sent where that asks for the key too. */
    public static String ofAny(Operation operation) {
        String page = operation.subject().page();
        return page.substring(0, page.indexOf("/{")) + "/" + operation.verb();
    }

    /** The same with {@code {name}} for each name of the key. */
    static String pattern(Operation operation) {
        return operation.subject().page() + "/" + operation.verb();
    }
}
