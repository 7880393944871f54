package dev.howdah.operations.value;

/** The number of a job, a task or a similar object: 1 or more. */
public record IdValue() implements ValueType<Long> {
    @Override
    public Form form() {
        return Form.ID;
    }

    @Override
    public Long read(String text) {
        String plain = text.strip();
        if (plain.matches("\\d{1,18}")) {
            long value = Long.parseLong(plain);
            if (value > 0) return value;
        }
        throw new IllegalArgumentException("has to be a number, not \"" + text + "\"");
    }
}
