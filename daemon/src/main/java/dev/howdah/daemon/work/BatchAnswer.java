package dev.howdah.daemon.work;

import dev.howdah.daemon.console.JsonObject;
import dev.howdah.sweep.BatchResults;
import dev.howdah.sweep.SweepException;
import dev.howdah.sweep.SweepRow;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a program or an endpoint to a batch of rows, read as a whole before anything of it holds: what is no answer, speaks of
 * other rows or twice of one makes all of it doubtful. For one thread.
 */
final class BatchAnswer {
    /** How many bytes an answer may have. */
    static final int MOST = 16 << 20;

    private static final List<String> KEYS = List.of("key", "ok", "error", "retry", "later", "retryAfter");
    private static final long LONGEST_SECONDS = 86_400;

    private final Map<List<String>, SweepRow> rows = new HashMap<>();
    private final Map<SweepRow, JsonObject> answers = new HashMap<>();

    private BatchAnswer(List<SweepRow> batch) {
        for (SweepRow each : batch) rows.put(each.key(), each);
    }

    /**
     * Reads lines, each the answer to one row.
     *
     * @param isCut whether the last line is not looked at if it has no end: the program was ended in it
     * @throws SweepException if it is no answer to those rows
     */
    static BatchAnswer ofLines(byte[] text, boolean isCut, List<SweepRow> batch) {
        BatchAnswer answer = new BatchAnswer(batch);
        String[] lines = decoded("the output", text).split("\n", -1);
        for (int i = 0; i < lines.length; i++) {
            boolean isLast = i == lines.length - 1;
            if (!lines[i].isBlank() && !(isLast && isCut)) answer.add("line " + (i + 1) + " of the output", lines[i]);
        }
        return answer;
    }

    /**
     * Reads an object with an array of such answers.
     *
     * @throws SweepException if it is no answer to those rows
     */
    static BatchAnswer ofObject(byte[] text, List<SweepRow> batch) {
        BatchAnswer answer = new BatchAnswer(batch);
        String json = decoded("the answer", text);
        try {
            JsonObject all = JsonObject.of("the answer", json, List.of("results"));
            if (all.find("results") == null) throw new SweepException("the answer has no \"results\"");
            List<JsonObject.Value> results = all.list("results");
            for (int i = 0; i < results.size(); i++)
                answer.add("results[" + i + "]", results.get(i).json());
        } catch (IllegalArgumentException e) {
            throw new SweepException(String.valueOf(e.getMessage()), e);
        }
        return answer;
    }

    private static String decoded(String what, byte[] text) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(text))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new SweepException(what + " is no UTF-8", e);
        }
    }

    private void add(String what, String json) {
        try {
            JsonObject answer = JsonObject.of(what, json, KEYS);
            List<String> key = new ArrayList<>();
            for (JsonObject.Value each : answer.list("key")) key.add(each.text());
            SweepRow row = rows.get(key);
            if (row == null)
                throw new SweepException(
                        key.isEmpty()
                                ? what + " has no \"key\""
                                : what + " is about the row " + JsonObject.shortened(String.join(", ", key))
                                        + ", which is not one of the batch");
            check(what, answer);
            if (answers.put(row, answer) != null)
                throw new SweepException(what + " is the second answer to the row " + String.join(", ", row.key()));
        } catch (IllegalArgumentException e) {
            throw new SweepException(String.valueOf(e.getMessage()), e);
        }
    }

    private static void check(String what, JsonObject answer) {
        boolean isOk = answer.flag("ok");
        boolean isLater = answer.flag("later");
        String error = answer.text("error");
        answer.flag("retry");
        answer.number("retryAfter", 0, LONGEST_SECONDS);
        if (isOk && (isLater || error != null) || !isOk && !isLater && error == null)
            throw new SweepException(what + " has to have one of \"ok\": true, \"error\": \"why\" and \"later\": true");
    }

    /**
     * Tells the results.
     *
     * @param failure of rows without an answer; thrown if there are any
     */
    void tell(BatchResults results, Exception failure) throws Exception {
        for (SweepRow each : rows.values()) {
            JsonObject answer = answers.get(each);
            if (answer == null) continue;
            String error = Objects.requireNonNullElse(answer.text("error"), "the answer is later");
            if (answer.flag("ok")) results.done(each);
            else if (answer.flag("later")) results.unavailable(each, error, retryAfter(answer));
            else if (answer.find("retry") != null && !answer.flag("retry")) results.failedForGood(each, error);
            else results.failed(each, error);
        }
        if (answers.size() < rows.size()) throw failure;
    }

    private static @Nullable Duration retryAfter(JsonObject answer) {
        Double seconds = answer.number("retryAfter", 0, LONGEST_SECONDS);
        return seconds == null ? null : Duration.ofMillis(Math.round(seconds * 1000));
    }
}
