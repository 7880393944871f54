package dev.howdah.operations.value;

import java.math.BigDecimal;

/** A number within bounds, which are included. */
public record DecimalValue(BigDecimal least, BigDecimal most) implements ValueType<Double> {
    /** With bounds such as {@code 0.001}. */
    public static DecimalValue of(String least, String most) {
        return new DecimalValue(new BigDecimal(least), new BigDecimal(most));
    }

    @Override
    public Form form() {
        return Form.DECIMAL;
    }

    @Override
    public Double read(String text) {
        String plain = text.strip();
        if (plain.matches("-?\\d{1,18}(\\.\\d{1,18})?([eE][+-]?\\d{1,2})?")) {
            BigDecimal value = new BigDecimal(plain);
            if (value.compareTo(least) >= 0 && value.compareTo(most) <= 0) return value.doubleValue();
        }
        throw new IllegalArgumentException("has to be a number from " + words() + ", not \"" + text + "\"");
    }

    @Override
    public String print(Double value) {
        return new BigDecimal(value.toString()).stripTrailingZeros().toPlainString();
    }

    @Override
    public String words() {
        return least.toPlainString() + " to " + most.toPlainString();
    }
}
