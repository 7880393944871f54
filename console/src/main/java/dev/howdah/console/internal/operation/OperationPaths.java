package dev.howdah.console.internal.operation;

import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.operations.Operation;
import dev.howdah.operations.Subject;
import dev.howdah.operations.Values;
import java.util.Map;

/** Paths of pages of objects, and of the forms that change them. */
public final class OperationPaths {
    private OperationPaths() {}

    /** The path of the page of an object, encoded. */
    public static String page(Subject subject, Values key) {
        String path = subject.page();
        for (Map.Entry<String, String> each : key.texts().entrySet())
            path = path.replace("{" + each.getKey() + "}", PageRequest.segment(each.getValue()));
        return path;
    }

    /** The path to which the form of an operation is sent, encoded. */
    public static String of(Operation operation, Values key) {
        return page(operation.subject(), key) + "/" + operation.verb();
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
