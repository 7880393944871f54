package dev.howdah.console.internal.api;

/** A request that cannot be answered as it is: the problem that is sent instead. */
public final class ApiProblemException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final String type;

    /**
     * @param type the name of the problem, such as {@code not-found}
     * @param detail for people, with the value and what would be right
     */
    public ApiProblemException(int status, String type, String detail) {
        super(detail);
        this.status = status;
        this.type = type;
    }

    public static ApiProblemException notFound(String detail) {
        return new ApiProblemException(404, "not-found", detail);
    }

    /** A value of a body or of a parameter that cannot be. */
    public static ApiProblemException invalid(String detail) {
        return new ApiProblemException(422, "invalid-field", detail);
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

    public String detail() {
        return String.valueOf(getMessage());
    }
}
