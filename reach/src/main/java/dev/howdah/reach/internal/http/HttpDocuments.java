package dev.howdah.reach.internal.http;

import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.document.DocumentFiles;
import java.io.IOException;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;

/** Answers that become documents in the database of the task. Safe for use by many threads. */
final class HttpDocuments {
    private final DocumentFiles files = new DocumentFiles();

    /** Reads the answer and keeps it; returns the output of the task. */
    String keep(Call call, HttpUriRequestBase request, ClassicHttpResponse response)
            throws ReachFailure, IOException, InterruptedException {
        return files.keep(
                call,
                DocumentFiles.name(call.target().path(), "answer"),
                type(response),
                () -> HttpScheme.body(request, response, call.target(), DocumentFiles.LARGEST));
    }

    private static String type(ClassicHttpResponse response) {
        Header header = response.getFirstHeader("content-type");
        ContentType read = header == null ? null : ContentType.parseLenient(header.getValue());
        String type = read == null ? null : read.getMimeType();
        if (read == null || type == null || !type.matches("[A-Za-z0-9.+-]{1,100}/[A-Za-z0-9.+-]{1,100}"))
            return "application/octet-stream";
        return type
                + (read.getCharset() == null
                        ? ""
                        : "; charset=" + read.getCharset().name());
    }
}
