package dev.howdah.operations.value;

/** Yes or no. A text that is neither {@code true} nor {@code false} is refused, but for {@code on}, which browsers send. */
public record FlagValue() implements ValueType<Boolean> {
    @Override
    public Form form() {
        return Form.FLAG;
    }

    @Override
    public Boolean read(String text) {
        return switch (text.strip()) {
            case "true", "on" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("has to be true or false, not \"" + text + "\"");
        };
    }
}
