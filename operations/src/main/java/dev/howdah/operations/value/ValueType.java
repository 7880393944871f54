package dev.howdah.operations.value;

/** A type of values that people and programs give as texts. Immutable and safe for use by many threads. */
public interface ValueType<T> {
    /** How a value looks in JSON, in a form and on the command line. */
    enum Form {
        TEXT,
        /** Digits that may exceed what JavaScript can hold. */
        ID,
        WHOLE,
        DECIMAL,
        FLAG,
        PERIOD,
        TIME,
        /** Several texts: an array in JSON, a text for each line in a form, an option that may be repeated. */
        TEXTS,
        /** Any JSON: a value in JSON, its text elsewhere. */
        JSON
    }

    /** Returns how values look. */
    Form form();

    /**
     * Returns the value of a text. Surrounding blanks are ignored.
     *
     * @throws IllegalArgumentException with a message that continues the name of a parameter, such as "has to be a number"
     */
    T read(String text);

    /** Returns the text of a value, which {@link #read} reads again. */
    default String print(T value) {
        return value.toString();
    }

    /** Returns what values are possible, such as "1 to 1000000"; empty: any. */
    default String words() {
        return "";
    }
}
