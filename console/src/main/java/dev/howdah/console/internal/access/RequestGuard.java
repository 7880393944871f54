package dev.howdah.console.internal.access;

import dev.howdah.operations.Role;
import dev.howdah.operations.store.TokenStore;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.javalin.http.HandlerType;
import io.javalin.security.RouteRole;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The checks of each request, before anything else: the host that it names (a page elsewhere may let its own name lead here), the page
 * that it comes from, and, where it changes something, the token that only our pages have. Safe for use by many threads.
 */
public final class RequestGuard {
    /** Paths of the HTTP API begin so. */
    public static final String API = "/api/";

    /** Where agents are answered. */
    public static final String AGENTS = "/mcp";

    /** Where outside parties send signals, with a token in the path; the same behind the path of the API. */
    public static final String SIGNALS = "/signals/";

    private static final String API_SIGNALS = "/api/v1" + SIGNALS;
    private static final double SIGNALS_PER_SECOND = 2;
    private static final int SIGNALS_BURST = 20;

    /** What is sent without a login is small. */
    private static final int OPEN_BYTES = 70_000;

    private static final Pattern TOKEN = Pattern.compile(TokenStore.PREFIX + "[0-9a-fA-F]{8}");
    private static final String FORM = "application/x-www-form-urlencoded";

    private static final double REQUESTS_PER_SECOND = 60;
    private static final int BURST = 240;
    /** Programs that work jobs by the API ask more often than people. */
    private static final double API_REQUESTS_PER_SECOND = 4_000;

    private static final int API_BURST = 8_000;

    private static final String METRICS = "/metrics";

    private static final Set<String> PROBES = Set.of(METRICS, "/live", "/ready");

    private final AccessSettings settings;
    private final Secret secret;
    private final LoginServer logins;
    private final AccessLog log;
    private final RateLimiter pages = new RateLimiter(REQUESTS_PER_SECOND, BURST, System::nanoTime);
    private final RateLimiter calls = new RateLimiter(API_REQUESTS_PER_SECOND, API_BURST, System::nanoTime);
    private final RateLimiter signals = new RateLimiter(SIGNALS_PER_SECOND, SIGNALS_BURST, System::nanoTime);
    private volatile Set<String> hosts = Set.of();

    public RequestGuard(AccessSettings settings, Secret secret, LoginServer logins, AccessLog log) {
        this.settings = settings;
        this.secret = secret;
        this.logins = logins;
        this.log = log;
    }

    /** From now on requests are answered, on that port. */
    public void listensOn(int port) {
        Set<String> known = new TreeSet<>();
        for (String each : settings.names()) known.add(Arrival.host("http", each + ":" + port));
        hosts = known;
    }

    /** The token of the forms of a session. */
    public String csrf(String session) {
        return secret.sign("csrf", session);
    }

    /** Checks a request before anything else, and leaves its {@link Caller} in it. */
    public void check(Context request) {
        headers(request);
        Arrival arrival = Arrival.read(request, settings.proxies());
        checkHost(arrival);
        if (isShared(request)) {
            share(request);
            if (request.method() == HandlerType.OPTIONS) return;
        } else checkFetch(request);
        checkNoToken(request);
        if (isLink(request)) return;
        String path = request.req().getRequestURI();
        if (path.startsWith("/static/")) {
            checkMethod(request);
        } else if (path.equals("/login") || path.startsWith("/login/") || path.equals("/login-link")) {
            if (isChange(request)) {
                checkSize(request);
                checkForm(request);
            }
        } else if (PROBES.contains(path)) {
            checkProbe(request, arrival, path);
        } else if (path.startsWith(SIGNALS) || path.startsWith(API_SIGNALS)) {
            checkSignal(request, arrival, path.startsWith(SIGNALS));
            if (isApi(request)) outsider(request).keep(request);
        } else if (isApi(request)) {
            Caller caller = logins.caller(request, Caller.Via.API);
            checkRate(caller);
            if (isChange(request)) checkApiChange(request);
            caller.keep(request);
        } else {
            Caller caller = logins.caller(request, Caller.Via.CONSOLE);
            checkRate(caller);
            caller.require(Role.VIEWER);
            caller.keep(request);
            if (isChange(request)) checkChange(request);
        }
    }

    /** Returns whether a program asks, which is answered in JSON. */
    public static boolean isApi(Context request) {
        String path = request.req().getRequestURI();
        return path.startsWith(API) || path.equals(AGENTS);
    }

    /** Programs on this machine need no token; others get to know whether it is well, and with a token the rest. */
    private void checkProbe(Context request, Arrival arrival, String path) {
        if (isChange(request)) throw new RefusedException(405, "Monitoring reads by GET.");
        boolean isHere = arrival.isDirect() && arrival.isLocal() && isOfNoBrowser(request);
        if (isHere && !LoginServer.hasToken(request)) {
            logins.here(request).keep(request);
            return;
        }
        if (!path.equals(METRICS) && !LoginServer.hasToken(request) && isOfNoBrowser(request)) return;
        Caller caller = logins.caller(request, Caller.Via.API);
        checkRate(caller);
        caller.require(Role.VIEWER);
        caller.keep(request);
    }

    /** Outside parties have no login, and nothing that a page elsewhere could use; they are bounded by their address. */
    private void checkSignal(Context request, Arrival arrival, boolean isPage) {
        if (!signals.take(arrival.address()))
            throw new RefusedException(429, "That were too many requests; more are answered in a second.");
        if (!isChange(request)) return;
        checkMethod(request);
        checkPlain(request);
        if (!isPage) {
            checkJson(request);
            if (!isOfNoBrowser(request)) checkOwn(request);
            return;
        }
        checkSize(request);
        checkType(request);
        if (!isOfNoBrowser(request)) checkForm(request);
    }

    /** Before any of it is read. A body of unknown length is small: the server lets no other in. */
    private static void checkSize(Context request) {
        if (request.contentLength() > OPEN_BYTES)
            throw new RefusedException(413, "A form has up to " + OPEN_BYTES + " bytes here.");
    }

    /** The caller of a request that comes with the token of a signal: it may do nothing else. */
    public static Caller outsider(Context request) {
        boolean isPage = request.req().getRequestURI().startsWith(SIGNALS);
        return new Caller(
                "signal-token",
                Role.SENDER,
                isPage ? Caller.Via.CONSOLE : Caller.Via.API,
                Arrival.of(request).address(),
                "",
                List.of(),
                () -> true);
    }

    /** Says of a route that it asks for no role: what opens sessions, and files without content of the database. */
    public enum Open implements RouteRole {
        TO_ALL
    }

    /** Adds a route that reads; without a handler of its own a HEAD request would be of a route that names no role. */
    public static void read(RoutesConfig routes, String path, Handler handler, RouteRole role) {
        routes.get(path, handler, role);
        routes.head(path, context -> {}, role);
    }

    /** Checks the role that a route names. A route without a role is refused to every user. */
    public void checkRole(Context request) {
        if (request.routeRoles().isEmpty())
            throw new IllegalStateException("the route of " + request.path() + " names no role");
        for (RouteRole each : request.routeRoles()) if (each instanceof NeededRole needed) check(request, needed);
    }

    private void check(Context request, NeededRole needed) {
        Caller caller = Caller.of(request);
        if (caller.role() == needed.also()) return;
        String action = needed.action();
        if (action != null && !caller.role().covers(needed.role()))
            log.refused(caller, action, object(request.req().getRequestURI()), needed.role());
        caller.require(needed.role());
    }

    /** Such as {@code jobs/42} of {@code /api/v1/jobs/42/cancel}; null: the path names no object. */
    private static @Nullable String object(String path) {
        List<String> segments = List.of(path.split("/", -1));
        if (segments.size() < 6) return null;
        return segments.subList(3, segments.size() - 1).stream()
                .map(each -> URLDecoder.decode(each.replace("+", "%2B"), StandardCharsets.UTF_8))
                .collect(Collectors.joining("/"));
    }

    private static boolean isChange(Context request) {
        return request.method() != HandlerType.GET && request.method() != HandlerType.HEAD;
    }

    /** Addresses are kept in logs and histories. */
    private static void checkNoToken(Context request) {
        String query = request.queryString();
        if (query != null
                && query.contains(TokenStore.PREFIX)
                && TOKEN.matcher(query).find())
            throw new RefusedException(
                    400,
                    "A token does not belong into an address, where logs keep it: revoke it. It is sent in a header.");
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

    private void checkHost(Arrival arrival) {
        if (!hosts.contains(arrival.host()) && !settings.publicHosts().contains(arrival.host()))
            throw new RefusedException(
                    421,
                    "The console is not known by this name. It answers at "
                            + String.join(", ", settings.publicHosts().isEmpty() ? hosts : settings.publicHosts())
                            + ".");
        if (arrival.isDirect() && !arrival.isLocal())
            throw new RefusedException(403, "From other machines the console is reached by its proxy only.");
    }

    /** One browser has no more to ask; several callers without a login are one. */
    private void checkRate(Caller caller) {
        RateLimiter rate = caller.via() == Caller.Via.API ? calls : pages;
        if (!rate.take(caller.session().isEmpty() ? caller.name() + " " + caller.address() : caller.session()))
            throw new RefusedException(429, "That were too many requests; more are answered in a second.");
    }

    /** Whether a page of another origin asks that may read the API. */
    private boolean isShared(Context request) {
        String origin = request.header("Origin");
        return origin != null
                && settings.origins().contains(origin)
                && request.req().getRequestURI().startsWith(API);
    }

    /** Lets a page of another origin read the answer, if it sends a token: cookies are those of the console, and not of that page. */
    private void share(Context request) {
        request.header("Access-Control-Allow-Origin", String.valueOf(request.header("Origin")));
        request.header("Vary", "Origin");
        request.header("Cross-Origin-Resource-Policy", "cross-origin");
        request.header("Access-Control-Expose-Headers", "ETag, Link, Retry-After");
        if (request.method() == HandlerType.OPTIONS) {
            request.header("Access-Control-Allow-Methods", "GET, HEAD");
            request.header("Access-Control-Allow-Headers", "Authorization, If-None-Match, Last-Event-ID");
            request.header("Access-Control-Max-Age", "600");
            request.status(204);
            request.skipRemainingHandlers();
        } else if (isChange(request)) {
            throw new RefusedException(403, "A change has to come from a page of the console itself.");
        } else if (settings.isLoginNeeded() && !LoginServer.hasToken(request)) {
            throw new RefusedException(401, "A page of another origin reads with a token.");
        }
    }

    /** Checks a request for a WebSocket, which browsers let any page ask for and read. */
    public void checkSocket(Context request) {
        if (request.header("Origin") != null && !isShared(request) && !isOwn(request))
            throw new RefusedException(403, "Pages from elsewhere cannot use the console.");
    }

    private static void checkFetch(Context request) {
        String site = request.header("Sec-Fetch-Site");
        if (site == null || site.equals("same-origin") || site.equals("none")) return;
        boolean navigation = "navigate".equals(request.header("Sec-Fetch-Mode"))
                && "document".equals(request.header("Sec-Fetch-Dest"))
                && request.method() == HandlerType.GET;
        if (!navigation) throw new RefusedException(403, "Pages from elsewhere cannot use the console.");
    }

    private static void checkMethod(Context request) {
        if (isChange(request) && request.method() != HandlerType.POST)
            throw new RefusedException(405, "Pages are read by GET, and change things by POST.");
    }

    private void checkChange(Context request) {
        if (LoginServer.hasToken(request) && isOfNoBrowser(request)) {
            checkMethod(request);
            if (type(request) != null) checkType(request);
            return;
        }
        checkForm(request);
        if (!Secret.same(csrf(logins.session(request)), request.formParam("csrf")))
            throw new RefusedException(
                    403,
                    "This page is from before the console was started again. Load it again, and repeat the change.");
    }

    /** A form of a page of our own. */
    private static void checkForm(Context request) {
        checkMethod(request);
        checkOwn(request);
        checkPlain(request);
        checkType(request);
    }

    private static void checkOwn(Context request) {
        if (!isOwn(request)) throw new RefusedException(403, "A change has to come from a page of the console itself.");
    }

    private static void checkJson(Context request) {
        String type = type(request);
        if (type == null
                ? request.contentLength() != 0 && request.bodyAsBytes().length > 0
                : !type.equals("application/json"))
            throw new RefusedException(415, "A change by the API is sent as application/json.");
    }

    /** Other kinds of forms would be written into files, whatever their size. */
    private static void checkType(Context request) {
        if (!FORM.equals(type(request))) throw new RefusedException(415, "A change is sent as a form.");
    }

    /**
     * A browser sends JSON to another origin only after asking, which is refused; and it always says where a change comes from. A
     * program of another kind says nothing.
     */
    private void checkApiChange(Context request) {
        checkPlain(request);
        checkJson(request);
        if (isOfNoBrowser(request)) return;
        checkOwn(request);
        if (!LoginServer.hasToken(request)
                && !Secret.same(csrf(logins.session(request)), request.header("X-CSRF-Token")))
            throw new RefusedException(403, "A change by a page needs its token in the header X-CSRF-Token.");
    }

    private static boolean isOfNoBrowser(Context request) {
        return request.header("Origin") == null
                && request.header("Sec-Fetch-Site") == null
                && request.header("Cookie") == null;
    }

    private static void checkPlain(Context request) {
        if (request.header("Content-Encoding") != null)
            throw new RefusedException(415, "A change is sent as it is, not compressed.");
    }

    private static @Nullable String type(Context request) {
        String type = request.contentType();
        return type == null
                ? null
                : type.toLowerCase(Locale.ROOT).split(";", 2)[0].strip();
    }

    private static boolean isOwn(Context request) {
        String origin = request.header("Origin");
        return origin == null
                ? "same-origin".equals(request.header("Sec-Fetch-Site"))
                : Arrival.of(request).isOrigin(origin);
    }
}
