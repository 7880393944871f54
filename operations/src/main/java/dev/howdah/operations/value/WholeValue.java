package dev.howdah.operations.value;

/** A whole number within bounds, which are included. */
public record WholeValue(int least, int most) implements ValueType<Integer> {
    @Override
    public Form form() {
        return Form.WHOLE;
    }

    @Override
    public Integer read(String text) {
        String plain = text.strip();
        if (plain.matches("-?\\d{1,9}")) {
            int value = Integer.parseInt(plain);
            if (value >= least && value <= most) return value;
        }
        throw new IllegalArgumentException("has to be a number from " + words() + ", not \"" + text + "\"");
    }

    @Override
    public String words() {
        return least + " to " + most;
    }
}
