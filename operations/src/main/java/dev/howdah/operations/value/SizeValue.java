package dev.howdah.operations.value;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number of bytes from a least one on, such as {@code 10 GB}; a kB is 1,024 bytes, as in PostgreSQL. {@code none} is 0: no bound.
 *
 * @param least the least number of bytes
 */
public record SizeValue(long least) implements ValueType<Long> {
    private static final Pattern SIZE = Pattern.compile("(?i)(\\d{1,12})\\s*(bytes|kB|MB|GB|TB)?");
    private static final List<String> UNITS = List.of("bytes", "kB", "MB", "GB", "TB");
    private static final String NONE = "none";

    @Override
    public Form form() {
        return Form.TEXT;
    }

    @Override
    public Long read(String text) {
        String plain = text.strip();
        if (plain.equalsIgnoreCase(NONE)) return 0L;
        Matcher size = SIZE.matcher(plain);
        if (size.matches()) {
            String unit = size.group(2) == null ? UNITS.get(0) : size.group(2);
            int power = 0;
            while (!UNITS.get(power).equalsIgnoreCase(unit)) power++;
            long number = Long.parseLong(size.group(1));
            if (number <= Long.MAX_VALUE >> 10 * power && number << 10 * power >= least) return number << 10 * power;
        }
        throw new IllegalArgumentException("has to be " + words() + ", not \"" + text + "\"");
    }

    @Override
    public String print(Long value) {
        if (value == 0) return NONE;
        int power = 0;
        while (power < UNITS.size() - 1 && value % (1L << 10 * (power + 1)) == 0) power++;
        return (value >> 10 * power) + " " + UNITS.get(power);
    }

    @Override
    public String words() {
        return "a size of " + print(least) + " or more, such as 10 GB, or none";
    }
}
