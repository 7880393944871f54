package dev.howdah.console.internal.access;

import io.javalin.http.Context;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * The way of a request here: what a trusted proxy says of it, else what it says itself.
 *
 * @param scheme http or https
 * @param host as the browser has sent it, in lower case, without the port of the scheme
 * @param address of the client
 * @param isDirect whether it comes by no trusted proxy
 */
record Arrival(String scheme, String host, String address, boolean isDirect) {
    private static final String ATTRIBUTE = "howdah.arrival";

    /** @throws RefusedException if it names no host, or several */
    static Arrival read(Context request, TrustedProxies proxies) {
        List<String> named = Collections.list(request.req().getHeaders("Host"));
        if (named.size() != 1) throw new RefusedException(400, "A request names one host.");
        String peer = request.req().getRemoteAddr();
        Arrival arrival;
        if (proxies.contains(peer)) {
            String scheme = "https".equalsIgnoreCase(last(request, "X-Forwarded-Proto", "http")) ? "https" : "http";
            String host = last(request, "X-Forwarded-Host", named.get(0));
            arrival = new Arrival(scheme, host(scheme, host), client(request, proxies, peer), false);
        } else {
            arrival = new Arrival("http", host("http", named.get(0)), peer, true);
        }
        request.attribute(ATTRIBUTE, arrival);
        return arrival;
    }

    /** The one that was read of a request. */
    static Arrival of(Context request) {
        Arrival arrival = request.attribute(ATTRIBUTE);
        if (arrival == null) throw new IllegalStateException("the request was not checked");
        return arrival;
    }

    /** What the nearest proxy says: what stands before that, a client may have sent. */
    private static String last(Context request, String header, String otherwise) {
        List<String> lines = Collections.list(request.req().getHeaders(header));
        if (lines.isEmpty()) return otherwise;
        String value = lines.get(lines.size() - 1);
        return value.substring(value.lastIndexOf(',') + 1).strip();
    }

    /** The last address that is not one of a proxy of ours. */
    private static String client(Context request, TrustedProxies proxies, String peer) {
        String[] addresses = String.join(",", Collections.list(request.req().getHeaders("X-Forwarded-For")))
                .split(",", -1);
        for (int i = addresses.length - 1; i >= 0; i--) {
            String address = addresses[i].strip();
            if (!address.matches("[0-9a-fA-F:.]{2,45}")) break;
            if (!proxies.contains(address)) return address;
        }
        return peer;
    }

    /** A host in lower case, without the port of its scheme. */
    static String host(String scheme, String named) {
        String host = named.toLowerCase(Locale.ROOT);
        String port = scheme.equals("https") ? ":443" : ":80";
        return host.endsWith(port) ? host.substring(0, host.length() - port.length()) : host;
    }

    boolean isSecure() {
        return scheme.equals("https");
    }

    /** Where pages of the console are, as a browser names it. */
    String origin() {
        return scheme + "://" + host;
    }

    /** Returns whether a browser means the same by that. */
    boolean isOrigin(String other) {
        String lower = other.toLowerCase(Locale.ROOT);
        return lower.startsWith(scheme + "://")
                && host(scheme, lower.substring(scheme.length() + 3)).equals(host);
    }

    /** Returns whether the client is on this machine. */
    boolean isLocal() {
        return address.startsWith("127.") || address.equals("::1") || address.equals("0:0:0:0:0:0:0:1");
    }
}
