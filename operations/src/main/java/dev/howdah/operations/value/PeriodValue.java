package dev.howdah.operations.value;

import java.time.Duration;

/**
 * A period within bounds, which are included. Programs write ISO 8601, people also {@code 5 min} and {@code 90d}.
 *
 * @param words the bounds for people
 */
public record PeriodValue(Duration least, Duration most, String words) implements ValueType<Duration> {
    @Override
    public Form form() {
        return Form.PERIOD;
    }

    @Override
    public Duration read(String text) {
        Duration value;
        try {
            value = Periods.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("is no period: " + e.getMessage(), e);
        }
        if (value.compareTo(least) >= 0 && value.compareTo(most) <= 0) return value;
        throw new IllegalArgumentException("has to be " + words + ", not \"" + text + "\"");
    }
}
