package dev.howdah.console.internal.web;

import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

/** What the server refuses before a request has come to a handler, such as an address that is too long: in the form of the API. */
final class Refusals implements Request.Handler {
    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        Object found = request.getAttribute(ErrorHandler.ERROR_STATUS);
        int status = found instanceof Integer known ? known : response.getStatus();
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/problem+json");
        String title = HttpStatus.getMessage(status);
        String body = "{\"type\":\"about:blank\",\"title\":\"" + title + "\",\"status\":" + status + ",\"detail\":\""
                + (status == HttpStatus.URI_TOO_LONG_414
                        ? "the address is too long: what is that long is sent in a body"
                        : "this request cannot be answered")
                + "\"}";
        response.write(true, BufferUtil.toBuffer(body, StandardCharsets.US_ASCII), callback);
        return true;
    }
}
