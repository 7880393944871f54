package dev.howdah.console.internal.web;

import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The checks of each request, before anything else: the host that it names (a page elsewhere may let its own name lead here), the page
 * that it comes from, and, where it changes something, the token that only our pages have. Safe for use by many threads.
 */
final class RequestGuard {
    private static final String FORM = "application/x-www-form-urlencoded";

    private final Set<String> names;
    private final Secret secret;
    private final LoginServer logins;
    private volatile Set<String> hosts = Set.of();

    /** @param names host names by which it may be asked for, in lower case */
    RequestGuard(Set<String> names, Secret secret, LoginServer logins) {
        this.names = names;
        this.secret = secret;
        this.logins = logins;
    }

    /** From now on requests are answered, on that port. */
    void listensOn(int port) {
        hosts = names.stream()
                .flatMap(name -> port == 80 ? Stream.of(name, name + ":80") : Stream.of(name + ":" + port))
                .collect(Collectors.toCollection(java.util.TreeSet::new));
    }

    /** The token of the forms of a session. */
    String csrf(String session) {
        return secret.sign("csrf", session);
    }

    void check(Context request) {
        headers(request);
        checkHost(request);
        checkFetch(request);
        if (isLink(request)) return;
        logins.check(request);
        if (request.method() != HandlerType.GET && request.method() != HandlerType.HEAD) checkChange(request);
    }

    /** A program that knows the secret of the daemon asks for a link: it is no browser, and needs no token. */
    private boolean isLink(Context request) {
        return request.method() == HandlerType.POST
                && request.req().getRequestURI().equals("/login-link")
                && logins.isSecret(request.header(LoginServer.SECRET_HEADER));
    }

    private static void headers(Context answer) {
        answer.header(
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
                        + " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none';"
                        + " object-src 'none'");
        answer.header("X-Content-Type-Options", "nosniff");
        answer.header("Referrer-Policy", "same-origin");
        answer.header("Cross-Origin-Opener-Policy", "same-origin");
        answer.header("Cross-Origin-Resource-Policy", "same-origin");
        answer.header("Cache-Control", "no-store");
    }

    private void checkHost(Context request) {
        List<String> named = Collections.list(request.req().getHeaders("Host"));
        if (named.size() != 1) throw new RefusedException(400, "A request names one host.");
        String host = named.get(0).toLowerCase(Locale.ROOT);
        if (!hosts.contains(host))
            throw new RefusedException(
                    421, "The console is not known by this name. It answers at " + String.join(", ", hosts) + ".");
    }

    private static void checkFetch(Context request) {
        String site = request.header("Sec-Fetch-Site");
        if (site == null || site.equals("same-origin") || site.equals("none")) return;
        boolean navigation = "navigate".equals(request.header("Sec-Fetch-Mode"))
                && "document".equals(request.header("Sec-Fetch-Dest"))
                && request.method() == HandlerType.GET;
        if (!navigation) throw new RefusedException(403, "Pages from elsewhere cannot use the console.");
    }

    private void checkChange(Context request) {
        if (request.method() != HandlerType.POST)
            throw new RefusedException(405, "Pages are read by GET, and change things by POST.");
        String origin = request.header("Origin");
        if (!isOwn(origin, request.header("Sec-Fetch-Site")))
            throw new RefusedException(403, "A change has to come from a page of the console itself.");
        String type = request.contentType();
        if (type == null
                || !type.toLowerCase(Locale.ROOT).split(";", 2)[0].strip().equals(FORM))
            throw new RefusedException(415, "A change is sent as a form.");
        if (request.header("Content-Encoding") != null)
            throw new RefusedException(415, "A change is sent as it is, not compressed.");
        if (!Secret.same(csrf(logins.session(request)), request.formParam("csrf")))
            throw new RefusedException(
                    403,
                    "This page is from before the console was started again. Load it again, and repeat the change.");
    }

    private boolean isOwn(@Nullable String origin, @Nullable String site) {
        if (origin == null) return "same-origin".equals(site);
        String lower = origin.toLowerCase(Locale.ROOT);
        return lower.startsWith("http://") && hosts.contains(lower.substring("http://".length()))
                || lower.startsWith("http://") && hosts.contains(lower.substring("http://".length()) + ":80");
    }
}
