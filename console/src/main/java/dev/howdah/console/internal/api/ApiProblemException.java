package dev.howdah.console.internal.api;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A request that cannot be answered as it is: the problem that is sent instead. */
public final class ApiProblemException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final String type;
    private final LinkedHashMap<String, String> fields;
    private final @Nullable String sqlState;

    /**
     * @param type the name of the problem, such as {@code not-found}
     * @param detail for people, with the value and what would be right
     */
    public ApiProblemException(int status, String type, String detail) {
        this(status, type, detail, Map.of(), null);
    }

    private ApiProblemException(
            int status, String type, String detail, Map<String, String> fields, @Nullable String sqlState) {
        super(detail);
        this.status = status;
        this.type = type;
        this.fields = new LinkedHashMap<>(fields);
        this.sqlState = sqlState;
    }

    /** The same, of an error of the database with that SQLSTATE. */
    ApiProblemException withSqlState(String state) {
        return new ApiProblemException(status, type, detail(), fields, state);
    }

    public static ApiProblemException notFound(String detail) {
        return new ApiProblemException(404, "not-found", detail);
    }

    /** A value of a body or of a parameter that cannot be. */
    public static ApiProblemException invalid(String detail) {
        return new ApiProblemException(422, "invalid-field", detail);
    }

    /** A value of a field of the body that cannot be. */
    public static ApiProblemException ofField(String name, String detail) {
        return at(ApiJson.pointer(name), detail);
    }

    /** A value of the body that cannot be, at that JSON pointer. */
    public static ApiProblemException at(String pointer, String detail) {
        return new ApiProblemException(422, "invalid-field", detail, Map.of(pointer, detail), null);
    }

    /** Values of fields of the body that cannot be. */
    public static ApiProblemException ofFields(Map<String, String> details) {
        Map<String, String> fields = new LinkedHashMap<>();
        details.forEach((name, detail) -> fields.put(ApiJson.pointer(name), detail));
        String all = details.entrySet().stream()
                .map(each -> each.getKey() + ": " + each.getValue())
                .collect(Collectors.joining("; "));
        return new ApiProblemException(422, "invalid-field", all, fields, null);
    }

    public static ApiProblemException conflict(String detail) {
        return new ApiProblemException(409, "conflict", detail);
    }

    public int status() {
        return status;
    }

    public String type() {
        return type;
    }

    /** What is wrong with which value of the body, by its JSON pointer. */
    Map<String, String> fields() {
        return Collections.unmodifiableMap(fields);
    }

    /** Of the error of the database; null: there was none. */
    @Nullable
    String sqlState() {
        return sqlState;
    }

    public String detail() {
        return String.valueOf(getMessage());
    }
}
