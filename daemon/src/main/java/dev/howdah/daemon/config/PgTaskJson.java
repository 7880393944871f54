package dev.howdah.daemon.config;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.howdah.daemon.console.DidYouMean;
import dev.howdah.daemon.console.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The list of tables to serve, as the setting {@code pg_task.json} has it: a JSON array of objects. */
public final class PgTaskJson {
    private static final Logger log = LoggerFactory.getLogger(PgTaskJson.class);

    private static final List<String> TEXTS = List.of("data", "user", "schema", "table", "reset");
    private static final List<String> NUMBERS = List.of("sleep", "run");
    private static final List<String> KEYS = List.of("data", "user", "schema", "table", "sleep", "reset", "run", "spi");

    /** Names longer than this are cut off by PostgreSQL. */
    private static final int MOST_BYTES = 63;

    private PgTaskJson() {}

    /** One object of the list; null is what it does not say. */
    record Entry(
            @Nullable String data,
            @Nullable String user,
            @Nullable String schema,
            @Nullable String table,
            @Nullable Integer sleep,
            @Nullable String reset,
            @Nullable Integer run) {}

    /** The error in the list: its place, and the remedy. */
    public static final class Invalid extends Exception {
        private static final long serialVersionUID = 1;

        Invalid(String message) {
            super(message);
        }
    }

    public static List<Entry> parse(String text) throws Invalid {
        try (JsonParser json = Json.parser(text)) {
            if (json.nextToken() != JsonToken.START_ARRAY)
                throw new Invalid("it has to be an array of objects, such as [{\"data\":\"shop\"}]");
            List<Entry> entries = new ArrayList<>();
            while (json.nextToken() != JsonToken.END_ARRAY) entries.add(entry(json, entries.size() + 1));
            if (json.nextToken() != null) throw new Invalid("there is something behind the end of the array");
            return entries;
        } catch (JsonProcessingException e) {
            int at = e.getLocation() == null ? 0 : (int) e.getLocation().getCharOffset();
            throw new Invalid("it is no JSON: " + e.getOriginalMessage() + ", at character " + (at + 1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Entry entry(JsonParser json, int number) throws IOException, Invalid {
        if (json.currentToken() != JsonToken.START_OBJECT)
            throw new Invalid(
                    "entry " + number + " has to be an object, such as {\"data\":\"shop\"}, not " + json.getText());
        Map<String, String> texts = new LinkedHashMap<>();
        Map<String, Integer> numbers = new LinkedHashMap<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String key = json.currentName();
            String place = "entry " + number + ": ";
            if (texts.containsKey(key) || numbers.containsKey(key))
                throw new Invalid(place + "\"" + key + "\" stands there twice");
            JsonToken token = json.nextToken();
            if (TEXTS.contains(key)) texts.put(key, text(json, token, place, key));
            else if (NUMBERS.contains(key)) numbers.put(key, number(json, token, place, key));
            else if (key.equals("spi")) spi(json, token, place);
            else
                throw new Invalid(place + "there is no key \"" + key + "\"" + DidYouMean.hint(key, KEYS) + " (keys are "
                        + String.join(", ", KEYS) + ")");
        }
        return new Entry(
                texts.get("data"),
                texts.get("user"),
                texts.get("schema"),
                texts.get("table"),
                numbers.get("sleep"),
                texts.get("reset"),
                numbers.get("run"));
    }

    private static String text(JsonParser json, JsonToken token, String place, String key) throws IOException, Invalid {
        if (token != JsonToken.VALUE_STRING)
            throw new Invalid(place + "\"" + key + "\" has to be a string, not " + json.getText());
        String value = json.getText();
        if (value.isEmpty() || value.indexOf('\0') >= 0)
            throw new Invalid(
                    place + "\"" + key + "\" has to be a name, not \"" + value.replace("\0", "\\u0000") + "\"");
        int bytes = value.getBytes(java.nio.charset.StandardCharsets.UTF_8).length;
        if (bytes > MOST_BYTES)
            throw new Invalid(place + "\"" + key + "\" is longer than a name can be (" + bytes + " bytes, " + MOST_BYTES
                    + " at most): " + value);
        return value;
    }

    private static int number(JsonParser json, JsonToken token, String place, String key) throws IOException, Invalid {
        String value = json.getText();
        if (token == JsonToken.VALUE_NUMBER_INT && value.matches("\\d{1,10}")) {
            long number = Long.parseLong(value);
            if (number <= Integer.MAX_VALUE) return (int) number;
        }
        throw new Invalid(place + "\"" + key + "\" has to be a number from 0 to " + Integer.MAX_VALUE + ", not "
                + (token == JsonToken.VALUE_STRING ? "\"" + value + "\"" : value));
    }

    /** The extension's other way to execute: nothing here is slower or faster for it. */
    private static void spi(JsonParser json, JsonToken token, String place) throws IOException, Invalid {
        if (!token.isBoolean()) throw new Invalid(place + "\"spi\" has to be true or false, not " + json.getText());
        if (token == JsonToken.VALUE_TRUE) log.info("{}\"spi\" has no meaning here and is passed over", place);
    }
}
