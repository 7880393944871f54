package dev.howdah.daemon.work;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.howdah.daemon.console.Json;
import dev.howdah.sweep.BatchResultHandler;
import dev.howdah.sweep.BatchResults;
import dev.howdah.sweep.SweepException;
import dev.howdah.sweep.SweepRow;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A program for each batch: it gets a line for each row on its standard input, and answers with a line for each. Answers hold however it
 * ends. Safe for use by many threads.
 */
public final class BatchProgram implements BatchResultHandler {
    private final ChildProgram program;

    public BatchProgram(ChildProgram program) {
        this.program = program;
    }

    @Override
    public void handle(List<SweepRow> rows, BatchResults results) throws Exception {
        // Not a pipe: what the program has said at its end would be read by the thread that hears of the end, too.
        Path output = Files.createTempFile("howdah-sweep-", ".out");
        try {
            Exception failure = program.run(List.of(), lines(rows), output, BatchAnswer.MOST);
            if (failure instanceof ChildProgram.TooMuchException) throw failure;
            BatchAnswer.ofLines(Files.readAllBytes(output), failure != null, rows)
                    .tell(
                            results,
                            failure == null ? new SweepException("the program has not answered for the row") : failure);
        } finally {
            Files.deleteIfExists(output);
        }
    }

    private static byte[] lines(List<SweepRow> rows) throws IOException {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (SweepRow each : rows) {
            StringWriter line = new StringWriter();
            try (JsonGenerator json = Json.to(line)) {
                write(json, each);
            }
            lines.writeBytes(line.toString().getBytes(StandardCharsets.UTF_8));
            lines.write('\n');
        }
        return lines.toByteArray();
    }

    private static void write(JsonGenerator json, SweepRow row) throws IOException {
        json.writeStartObject();
        key(json, row);
        row(json, row);
        json.writeEndObject();
    }

    static void key(JsonGenerator json, SweepRow row) throws IOException {
        json.writeArrayFieldStart("key");
        for (String each : row.key()) json.writeString(each);
        json.writeEndArray();
    }

    /** In one line: a column of type json is as it was written, and may have several. */
    static void row(JsonGenerator json, SweepRow row) throws IOException {
        json.writeFieldName("row");
        json.writeRawValue(row.json().replaceAll("[\r\n]", " "));
    }
}
