package dev.howdah.operations.value;

import java.time.DateTimeException;
import java.time.LocalDate;

/** A day such as {@code 2026-12-25}. */
public record DayValue() implements ValueType<LocalDate> {
    @Override
    public Form form() {
        return Form.TEXT;
    }

    @Override
    public LocalDate read(String text) {
        try {
            return LocalDate.parse(text.strip());
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("has to be a day such as 2026-12-25, not \"" + text + "\"", e);
        }
    }

    @Override
    public String words() {
        return "such as 2026-12-25";
    }
}
