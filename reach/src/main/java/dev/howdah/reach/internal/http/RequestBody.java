package dev.howdah.reach.internal.http;

import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.document.DocumentFiles;
import dev.howdah.spi.reach.ReachDocument;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.entity.AbstractHttpEntity;
import org.jspecify.annotations.Nullable;

/**
 * What a request sends: its text, a document, or the parts of a form.
 *
 * @param pieces sent one after another, so that documents are not copied; none for no body
 * @param type where the row says none; null if it is known already
 */
record RequestBody(List<byte[]> pieces, @Nullable String type) {
    /** Returns whether it is read from documents, and takes memory beside that of the row. */
    static boolean isOfDocuments(Call call) {
        return call.target().option("body") != null || isForm(call);
    }

    static boolean isForm(Call call) {
        return "multipart".equals(call.target().option("input"));
    }

    static RequestBody of(Call call, RequestText text) throws ReachFailure {
        if (isForm(call)) return MultipartForm.of(call);
        ReachDocument found = DocumentFiles.named(call, call.target().option("body"));
        if (found != null) return new RequestBody(List.of(found.bytes()), found.type());
        return new RequestBody(
                text.body().isEmpty() ? List.of() : List.of(text.body().getBytes(StandardCharsets.UTF_8)), null);
    }

    long size() {
        return pieces.stream().mapToLong(each -> each.length).sum();
    }

    HttpEntity entity() {
        return new Entity(pieces, size());
    }

    private static final class Entity extends AbstractHttpEntity {
        private final List<byte[]> pieces;
        private final long size;

        Entity(List<byte[]> pieces, long size) {
            // The header of the request says the type.
            super((String) null, null);
            this.pieces = pieces;
            this.size = size;
        }

        @Override
        public long getContentLength() {
            return size;
        }

        @Override
        public boolean isRepeatable() {
            return true;
        }

        @Override
        public boolean isStreaming() {
            return false;
        }

        @Override
        public InputStream getContent() {
            return new SequenceInputStream(Collections.enumeration(
                    pieces.stream().map(ByteArrayInputStream::new).toList()));
        }

        @Override
        public void writeTo(OutputStream to) throws IOException {
            for (byte[] each : pieces) to.write(each);
            to.flush();
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }
}
