package dev.howdah.daemon.work;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.howdah.daemon.console.Json;
import dev.howdah.internal.http.HttpPost;
import dev.howdah.sweep.BatchResultHandler;
import dev.howdah.sweep.BatchResults;
import dev.howdah.sweep.SweepException;
import dev.howdah.sweep.SweepRow;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;

/**
 * A POST for each batch, with its rows as a JSON array: 2xx without a body is done, and a body has the results of the rows. Safe for use by
 * many threads.
 */
public final class BatchRequest implements BatchResultHandler {
    private static final int TOO_LARGE = 413;

    private final RowRequest requests;

    /** @param requests sends them; reads answers of {@link #MOST_ANSWER} bytes */
    public BatchRequest(RowRequest requests) {
        this.requests = requests;
    }

    /** How many bytes of an answer are read. */
    public static final int MOST_ANSWER = BatchAnswer.MOST;

    @Override
    public void handle(List<SweepRow> rows, BatchResults results) throws Exception {
        byte[] body = body(rows);
        boolean isLarge = body.length > BatchAnswer.MOST;
        if (isLarge && rows.size() == 1)
            throw new SweepException("the row has more than " + (BatchAnswer.MOST >> 20) + " MiB");
        HttpPost.Answer answer = isLarge ? null : requests.send(number(rows), body);
        if (answer == null || (answer.status() == TOO_LARGE && rows.size() > 1)) {
            divide(rows, results);
            return;
        }
        requests.check(answer);
        if (answer.body().length == 0 && answer.whole()) {
            rows.forEach(results::done);
            return;
        }
        if (!answer.whole())
            throw new SweepException(
                    answer.body().length >= BatchAnswer.MOST
                            ? "the answer has more than " + (BatchAnswer.MOST >> 20) + " MiB"
                            : "the answer has not ended in time");
        BatchAnswer.ofObject(answer.body(), rows)
                .tell(results, new SweepException("the answer has no result of the row"));
    }

    /** A half that fails is no reason not to send the other one, unless the receiver is unavailable. */
    private void divide(List<SweepRow> rows, BatchResults results) throws Exception {
        int half = rows.size() / 2;
        SweepException failure = null;
        try {
            handle(rows.subList(0, half), results);
        } catch (SweepException e) {
            failure = e;
        }
        handle(rows.subList(half, rows.size()), results);
        if (failure != null) throw failure;
    }

    private byte[] body(List<SweepRow> rows) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = Json.to(text)) {
            json.writeStartObject();
            json.writeStringField("sweep", requests.sweep());
            json.writeArrayFieldStart("rows");
            for (SweepRow each : rows) {
                json.writeStartObject();
                BatchProgram.key(json, each);
                json.writeStringField("idempotencyKey", requests.number(each));
                BatchProgram.row(json, each);
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** The same for the same rows. */
    private String number(List<SweepRow> rows) {
        TreeSet<String> numbers = new TreeSet<>();
        for (SweepRow each : rows) numbers.add(requests.number(each));
        return UUID.nameUUIDFromBytes(String.join("\n", numbers).getBytes(StandardCharsets.UTF_8))
                .toString();
    }
}
