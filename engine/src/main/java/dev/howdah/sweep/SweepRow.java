package dev.howdah.sweep;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.howdah.sweep.internal.store.RowKey;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A row to process, as it was when it was locked. For one thread at a time. */
public final class SweepRow {
    private static final ObjectReader JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build()
            .reader();

    private final List<String> key;
    private final String json;
    private final Instant started;
    private @Nullable JsonNode columns;

    /**
     * Makes a row as a handler gets it: for tests of handlers. Its sweep has {@linkplain #started() started} at 1970-01-01.
     *
     * @param key the values of the columns of the key, as PostgreSQL writes them
     * @param json the whole row as a JSON object
     */
    public SweepRow(List<String> key, String json) {
        this(key, json, Instant.EPOCH);
    }

    /**
     * Makes a row as a handler gets it: for tests of handlers.
     *
     * @param key the values of the columns of the key, as PostgreSQL writes them
     * @param json the whole row as a JSON object
     * @param started when the sweep was started
     */
    public SweepRow(List<String> key, String json, Instant started) {
        this.key = List.copyOf(key);
        this.json = json;
        this.started = started;
    }

    /**
     * When the sweep was started, by the database's clock: what {@code :started} stands for in its SQL. It is the same for all processes, after a
     * stop and after a crash, and another one when the sweep begins anew: with the name of the sweep and the key it names this piece of work.
     */
    public Instant started() {
        return started;
    }

    /** The values of the columns of the key, as PostgreSQL writes them. */
    public List<String> key() {
        return key;
    }

    /** The whole row as a JSON object, as {@code row_to_json} makes it. */
    public String json() {
        return json;
    }

    /**
     * The value of a column as text: strings, numbers and truth values as they are, others as JSON.
     *
     * @return null where it is NULL
     * @throws IllegalArgumentException if there is no such column
     */
    public @Nullable String getString(String column) {
        JsonNode value = value(column);
        return value.isNull() ? null : value.isValueNode() ? value.asText() : value.toString();
    }

    /**
     * The value of a column that holds whole numbers.
     *
     * @throws IllegalArgumentException if there is no such column, or it is NULL or no such number
     */
    public long getLong(String column) {
        JsonNode value = value(column);
        if (!value.canConvertToExactIntegral() || !value.canConvertToLong()) throw wrong(column, "a whole number");
        return value.longValue();
    }

    /**
     * The value of a column that holds numbers, exactly.
     *
     * @throws IllegalArgumentException if there is no such column, or it is NULL or no number
     */
    public BigDecimal getDecimal(String column) {
        JsonNode value = value(column);
        if (!value.isNumber()) throw wrong(column, "a number");
        return value.decimalValue();
    }

    /**
     * The value of a column that holds truth values.
     *
     * @throws IllegalArgumentException if there is no such column, or it is NULL or no truth value
     */
    public boolean getBoolean(String column) {
        JsonNode value = value(column);
        if (!value.isBoolean()) throw wrong(column, "true or false");
        return value.booleanValue();
    }

    /** @throws IllegalArgumentException if there is no such column */
    public boolean isNull(String column) {
        return value(column).isNull();
    }

    private JsonNode value(String column) {
        JsonNode known = columns;
        if (known == null) {
            try {
                known = JSON.readTree(json);
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("PostgreSQL has made a row to what is no JSON: " + json, e);
            }
            columns = known;
        }
        JsonNode value = known.path(column);
        if (value instanceof MissingNode)
            throw new IllegalArgumentException("the row has no column \"" + column + "\", only "
                    + String.join(", ", (Iterable<String>) known::fieldNames));
        return value;
    }

    private IllegalArgumentException wrong(String column, String wanted) {
        return new IllegalArgumentException(
                "column \"" + column + "\" of row " + RowKey.text(key) + " is " + value(column) + ", not " + wanted);
    }

    @Override
    public String toString() {
        return json;
    }
}
