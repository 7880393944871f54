package dev.howdah.console.internal.web;

import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Takes the base path off the paths of requests; a proxy may have done so before. */
final class BasePathHandler extends Handler.Wrapper {
    private final String base;

    /** @param base such as {@code /howdah} */
    BasePathHandler(String base) {
        this.base = base;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        String address = request.getHttpURI().getPathQuery();
        if (address == null || !isBelow(address)) return super.handle(request, response, callback);
        String rest = address.substring(base.length());
        HttpURI uri = HttpURI.build(request.getHttpURI())
                .pathQuery(rest.startsWith("/") ? rest : "/" + rest)
                .asImmutable();
        return super.handle(
                new Request.Wrapper(request) {
                    @Override
                    public HttpURI getHttpURI() {
                        return uri;
                    }
                },
                response,
                callback);
    }

    private boolean isBelow(String address) {
        if (!address.startsWith(base)) return false;
        return address.length() == base.length() || "/?".indexOf(address.charAt(base.length())) >= 0;
    }
}
