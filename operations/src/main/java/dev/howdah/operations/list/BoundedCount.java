package dev.howdah.operations.list;

/**
 * How many there are.
 *
 * @param isExact false: there are more, counting has ended there
 */
public record BoundedCount(long value, boolean isExact) {
    /** A number that was counted up to a bound: a larger one says that there are more. */
    public static BoundedCount upTo(long most, long number) {
        return new BoundedCount(Math.min(number, most), number <= most);
    }

    @Override
    public String toString() {
        return isExact ? Long.toString(value) : value + "+";
    }
}
