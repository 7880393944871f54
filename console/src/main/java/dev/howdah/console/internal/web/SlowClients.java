package dev.howdah.console.internal.web;

import dev.howdah.console.internal.connection.Client;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.BufferedResponseHandler;
import org.eclipse.jetty.server.handler.EagerContentHandler;
import org.eclipse.jetty.server.handler.EagerContentHandler.ContentLoader;
import org.eclipse.jetty.server.handler.EagerContentHandler.ContentLoaderFactory;
import org.eclipse.jetty.server.handler.EagerContentHandler.RetainedContentLoaderFactory;
import org.eclipse.jetty.server.handler.MinimumDataRateHandler;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Keeps clients that send or read slowly, or not at all, from the threads that answer requests:
 *
 * <pre>
 *   a connection      up to 2,000, of one address that is no proxy 500; further ones wait until one ends, or are refused.
 *                     Nothing for 30 s, or headers that have not come to their end in 10 s: it ends
 *   a body of 64 kB   is awaited without a thread, then the request begins
 *   a larger one      is read by a thread: 8 at a time, further ones are refused
 *   less than 100 bytes a second: the request ends
 *   an answer         is put aside, and written as the client takes it, without a thread: 100 at a time
 * </pre>
 */
final class SlowClients {
    private static final int MOST_CONNECTIONS = 2_000;
    static final int MOST_OF_AN_ADDRESS = 500;
    private static final int SMALL_BODY = 65_536;
    private static final int LARGE_BODIES = 8;
    private static final int ANSWERS = 100;
    private static final int ANSWER_BYTES = 16_000_000;

    /** What each part of a body costs beside its bytes. */
    private static final int PART_BYTES = 128;

    /** Streams of events may be as slow as they like; a body that comes by the byte would be awaited for long. */
    private static final long LEAST_BYTES_PER_SECOND = 100;

    private SlowClients() {}

    /** Puts what guards against them before the handlers of the server. */
    static void guard(Server server, String base) {
        server.addBean(new NetworkConnectionLimit(MOST_CONNECTIONS, server));
        Handler.Wrapper outer = new ClientNote();
        server.setHandler(outer);
        outer = inner(outer, new MinimumDataRateHandler(LEAST_BYTES_PER_SECOND, 0));
        if (!base.isEmpty()) outer = inner(outer, new BasePathHandler(base));
        outer = inner(outer, new LargeBodies());
        outer = inner(outer, new EagerContentHandler(new SmallBodies()));
        inner(outer, new Answers());
    }

    private static Handler.Wrapper inner(Handler.Wrapper outer, Handler.Wrapper inner) {
        outer.setHandler(inner);
        return inner;
    }

    /** Notes the address of the client before all else. */
    private static final class ClientNote extends Handler.Wrapper {
        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            Client.note(request);
            return super.handle(request, response, callback);
        }
    }

    /** Awaits small bodies. One of unknown length has to be small: it could not be known how many large ones there are. */
    private static final class SmallBodies implements ContentLoaderFactory {
        private final ContentLoaderFactory known = new RetainedContentLoaderFactory(SMALL_BODY, PART_BYTES, false);
        private final ContentLoaderFactory unknown = new RetainedContentLoaderFactory(SMALL_BODY, PART_BYTES, true);

        @Override
        public String getApplicableMimeType() {
            return known.getApplicableMimeType();
        }

        @Override
        public ContentLoader newContentLoader(
                String contentType,
                String mimeType,
                Handler handler,
                Request request,
                Response response,
                Callback callback) {
            return (request.getLength() < 0 ? unknown : known)
                    .newContentLoader(contentType, mimeType, handler, new Ending(request), response, callback);
        }
    }

    /** A request that ends when its client says nothing for too long: the server would go on to wait. */
    private static final class Ending extends Request.Wrapper {
        Ending(Request request) {
            super(request);
        }

        @Override
        public Content.@Nullable Chunk read() {
            Content.Chunk chunk = super.read();
            return Content.Chunk.isFailure(chunk, false) ? Content.Chunk.from(chunk.getFailure(), true) : chunk;
        }
    }

    /** Lets few requests with large bodies in. */
    private static final class LargeBodies extends Handler.Wrapper {
        private final Semaphore places = new Semaphore(LARGE_BODIES);

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            if (request.getLength() <= SMALL_BODY) return super.handle(request, response, callback);
            if (!places.tryAcquire()) {
                refuse(response, callback);
                return true;
            }
            Request.addCompletionListener(request, failure -> places.release());
            return super.handle(request, response, callback);
        }

        private static void refuse(Response response, Callback callback) {
            response.setStatus(503);
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/problem+json");
            response.getHeaders().put(HttpHeader.RETRY_AFTER, "1");
            response.getHeaders().put(HttpHeader.CONNECTION, "close");
            String body =
                    "{\"type\":\"urn:howdah:problem:unavailable\",\"title\":\"unavailable\",\"status\":503,\"detail\":\""
                            + LARGE_BODIES + " bodies of more than " + SMALL_BODY
                            + " bytes are read already: send it again\"}";
            response.write(true, BufferUtil.toBuffer(body, StandardCharsets.US_ASCII), callback);
        }
    }

    /** Writes answers as clients take them; streams go to their clients at once. */
    private static final class Answers extends BufferedResponseHandler {
        private final Semaphore places = new Semaphore(ANSWERS);

        Answers() {
            excludeMimeType("text/event-stream");
        }

        @Override
        public boolean onConditionsMet(Request request, Response response, Callback callback) throws Exception {
            request.setAttribute(BUFFER_SIZE_ATTRIBUTE_NAME, ANSWER_BYTES);
            request.setAttribute(MAX_AGGREGATION_SIZE_ATTRIBUTE_NAME, ANSWER_BYTES);
            return super.onConditionsMet(request, response, callback);
        }

        @Override
        protected boolean shouldBuffer(Response response, boolean last) {
            if (!super.shouldBuffer(response, last) || !places.tryAcquire()) return false;
            Request.addCompletionListener(response.getRequest(), failure -> places.release());
            return true;
        }
    }
}
