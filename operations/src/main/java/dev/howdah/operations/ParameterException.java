package dev.howdah.operations;

/** A value of a parameter that is not possible; the message names the parameter and says what would be right. */
public final class ParameterException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private final transient Parameter<?> parameter;
    private final String rest;

    /** @param rest of the message, behind the name of the parameter */
    public ParameterException(Parameter<?> parameter, String rest) {
        super(parameter.name() + " " + rest);
        this.rest = rest;
        this.parameter = parameter;
    }

    /** The message with another name of the parameter, such as that of an option. */
    public String message(String word) {
        return word + " " + rest;
    }

    /** The parameter with that value. */
    public Parameter<?> parameter() {
        return parameter;
    }
}
