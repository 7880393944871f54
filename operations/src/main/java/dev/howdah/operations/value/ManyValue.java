package dev.howdah.operations.value;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Values of another type, each on a line of its own.
 *
 * @param most the maximum number of values
 */
public record ManyValue<T>(ValueType<T> each, int most) implements ValueType<List<T>> {
    @Override
    public Form form() {
        return Form.TEXTS;
    }

    @Override
    public List<T> read(String text) {
        List<T> values = text.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .map(each::read)
                .toList();
        if (values.isEmpty()) throw new IllegalArgumentException("is empty");
        if (values.size() > most)
            throw new IllegalArgumentException("has to have up to " + most + " values, not " + values.size());
        return values;
    }

    @Override
    public String print(List<T> values) {
        return values.stream().map(each::print).collect(Collectors.joining("\n"));
    }

    @Override
    public String words() {
        return "1 to " + most + " values";
    }
}
