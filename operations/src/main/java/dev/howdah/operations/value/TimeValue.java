package dev.howdah.operations.value;

import java.time.Instant;

/**
 * A time. Programs write RFC 3339, people also {@code 2026-11-25 14:00 +01:00}, or a day in UTC.
 *
 * @param isEnd whether a day stands for its end, so that a range includes it
 */
public record TimeValue(boolean isEnd) implements ValueType<Instant> {
    @Override
    public Form form() {
        return Form.TIME;
    }

    @Override
    public Instant read(String text) {
        try {
            return Moments.parseOrDay(text, isEnd);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("is no time: " + e.getMessage(), e);
        }
    }
}
