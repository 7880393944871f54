package dev.howdah.console.internal.access;

import dev.howdah.operations.Role;
import dev.howdah.operations.store.TokenStore;
import io.javalin.http.Context;
import io.javalin.http.Cookie;
import io.javalin.http.HttpStatus;
import io.javalin.http.SameSite;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Logins, where they are needed: a link with a key that opens a session once, a token in a header, a token that is exchanged for a
 * session, or a login by an OpenID provider. Safe for use by many threads.
 */
public final class LoginServer {
    /** The header in which {@code howdah console} sends the secret of the daemon's file. */
    static final String SECRET_HEADER = "X-Howdah-Secret";

    /** With the port behind it: browsers send cookies to all ports of a host. */
    private static final String COOKIE = "howdah-";
    /** Browsers take a cookie of such a name over TLS only. */
    private static final String SECURE = "__Secure-";

    private static final String BEARER = "Bearer ";
    private static final String TOKEN_PROTOCOL = "token.";
    private static final Identity LOCAL = new Identity(Caller.LOCAL, Role.ADMINISTRATOR, null);
    private static final Identity LINK = new Identity("link", Role.ADMINISTRATOR, null);
    private static final Identity MONITORING = new Identity("monitoring", Role.VIEWER, null);
    private static final String NOT_ACCEPTED = "This token is not accepted: it is none, was revoked, or has expired.";
    private static final int FAILURES_A_MINUTE = 5;

    private final Sessions sessions = new Sessions(System::nanoTime);
    private final RateLimiter failures = new RateLimiter(FAILURES_A_MINUTE / 60.0, FAILURES_A_MINUTE, System::nanoTime);
    private final Tokens tokens;
    private final boolean needed;
    private final String base;
    private final AccessLog log;
    private final String secret = Secret.random();
    private volatile int port;

    public LoginServer(AccessSettings settings, TokenStore tokens, AccessLog log) {
        this.needed = settings.isLoginNeeded();
        this.base = settings.base();
        this.tokens = new Tokens(tokens);
        this.log = log;
    }

    /** From now on sessions are opened, on that port. */
    public void listensOn(int number) {
        port = number;
    }

    /** What has to be shown for a new link, to be kept where only the owner of the program can read it. */
    public String secret() {
        return secret;
    }

    /** The path of a link that opens a session; {@code /} where none is needed. */
    public String path() {
        return base + (needed ? "/login?key=" + sessions.key() : "/");
    }

    /** The session of a request; empty where none is needed. */
    public String session(Context request) {
        String id = request.cookie(cookie(request));
        return needed && id != null ? id : "";
    }

    private String cookie(Context request) {
        return (Arrival.of(request).isSecure() ? SECURE : "") + COOKIE + port;
    }

    /** Returns whether a request shows a token. */
    static boolean hasToken(Context request) {
        return authorization(request) != null;
    }

    /** The header with the token; for a WebSocket, for which a page can set no header, one of its protocols is as good. */
    private static @Nullable String authorization(Context request) {
        String header = request.header("Authorization");
        String protocols = request.header("Sec-WebSocket-Protocol");
        if (header != null || protocols == null) return header;
        for (String each : protocols.split(",", -1))
            if (each.strip().startsWith(TOKEN_PROTOCOL))
                return BEARER + each.strip().substring(TOKEN_PROTOCOL.length());
        return null;
    }

    /**
     * The caller of a request.
     *
     * @throws RefusedException if it has no login
     */
    Caller caller(Context request, Caller.Via via) {
        Identity identity;
        String session = "";
        if (hasToken(request)) {
            identity = byHeader(request, via);
        } else if (!needed) {
            identity = LOCAL;
        } else {
            session = session(request);
            identity = sound(sessions.use(session, origin(request)));
            if (identity == null)
                throw new RefusedException(
                        401,
                        "The console asks for a login here. \"howdah console\" prints a link that opens it; it has to be run by"
                                + " the user that runs the daemon, on this machine.");
        }
        return caller(request, identity, via, session);
    }

    /**
     * The caller that an agent of this process is.
     *
     * @param token null: it has none, and may read
     * @throws RefusedException if the token is not accepted
     */
    public Caller agent(@Nullable String token) {
        Identity identity = token == null ? new Identity(Caller.LOCAL, Role.VIEWER, null) : tokens.find(token.strip());
        if (identity == null) throw new RefusedException(401, NOT_ACCEPTED);
        return new Caller(
                identity.name(),
                identity.role(),
                Caller.Via.API,
                "127.0.0.1",
                "",
                identity.queues(),
                () -> identity.equals(sound(identity)));
    }

    /** A program on this machine that reads what is told to monitoring. */
    Caller here(Context request) {
        return caller(request, MONITORING, Caller.Via.API, "");
    }

    private Caller caller(Context request, Identity identity, Caller.Via via, String session) {
        return new Caller(
                identity.name(),
                identity.role(),
                via,
                Arrival.of(request).address(),
                session,
                identity.queues(),
                () -> identity.equals(sound(session.isEmpty() ? identity : sessions.find(session))));
    }

    private Identity byHeader(Context request, Caller.Via via) {
        String header = String.valueOf(authorization(request));
        boolean bearer = header.regionMatches(true, 0, BEARER, 0, BEARER.length());
        request.header("WWW-Authenticate", "Bearer");
        Identity identity = identity(request, via, bearer ? header.substring(BEARER.length()) : "");
        request.res().setHeader("WWW-Authenticate", null);
        return identity;
    }

    /** The identity of a token that a request shows; an address that shows many wrong ones is not listened to for a while. */
    private Identity identity(Context request, Caller.Via via, String token) {
        Identity identity = tokens.find(token.strip());
        // A right one is taken from an address that shows wrong ones too: others may share it.
        if (identity != null) return identity;
        checkFailures(request);
        failed(request, via, "token", "not accepted");
        throw new RefusedException(401, NOT_ACCEPTED);
    }

    private void failed(Context request, Caller.Via via, String how, String why) {
        String address = Arrival.of(request).address();
        failures.take(address);
        log.refused("unknown", via, address, "login." + how, why);
    }

    /** A login by an OpenID provider has failed. */
    public void failed(Context request, String how, String why) {
        failed(request, Caller.Via.CONSOLE, how, why);
    }

    /** @throws RefusedException if many logins from the address of the request have failed lately */
    public void checkFailures(Context request) {
        if (!failures.has(Arrival.of(request).address()))
            throw new RefusedException(429, "Too many logins from your address have failed; try again in a minute.");
    }

    /** Where pages of the console are, as the browser of a request names it: {@code https://ops.example.com}. */
    public static String origin(Context request) {
        return Arrival.of(request).origin();
    }

    /** Returns whether the browser of a request uses TLS. */
    public static boolean isSecure(Context request) {
        return Arrival.of(request).isSecure();
    }

    /** The same identity, unless it rests on a token that is not accepted any more. */
    private @Nullable Identity sound(@Nullable Identity identity) {
        return identity == null || identity.token() == null ? identity : tokens.byHash(identity.token());
    }

    /** The role of a session that looks at a page; null: the session has ended. */
    public @Nullable Role role(String session) {
        if (!needed) return Role.ADMINISTRATOR;
        Identity identity = sound(sessions.find(session));
        return identity == null ? null : identity.role();
    }

    /** Opens a session for the key of a link. */
    public void login(Context request) {
        if (needed) {
            checkFailures(request);
            if (!sessions.take(request.queryParam("key"))) {
                failed(request, Caller.Via.CONSOLE, "link", "not accepted");
                throw new RefusedException(
                        401,
                        "This link was used, or is older than ten minutes. \"howdah console\" prints another one.");
            }
            open(request, LINK, "login.link");
        }
        request.redirect(base + "/", HttpStatus.SEE_OTHER);
    }

    /** Opens a session for the token of a form. */
    public void exchange(Context request) {
        String token = request.formParam("token");
        open(request, identity(request, Caller.Via.CONSOLE, token == null ? "" : token), "login.token");
        request.redirect(base + next(request.formParam("next")), HttpStatus.SEE_OTHER);
    }

    /** Opens a session for a name that an OpenID provider has vouched for. */
    public void opened(Context request, String name, Role role, String next) {
        open(request, new Identity(name, role, null), "login.oidc");
        request.redirect(base + next(next), HttpStatus.SEE_OTHER);
    }

    /** A path of our own; anything else leads to the first page. */
    private static String next(@Nullable String wanted) {
        return wanted != null && wanted.matches("/(?![/\\\\])[\\x21-\\x7e&&[^\\\\]]*") ? wanted : "/";
    }

    private void open(Context request, Identity identity, String action) {
        sessions.close(session(request));
        String session = sessions.open(identity, Arrival.of(request).address(), origin(request));
        Cookie cookie = new Cookie(cookie(request), session);
        cookie.setHttpOnly(true);
        cookie.setSameSite(SameSite.LAX);
        cookie.setSecure(Arrival.of(request).isSecure());
        cookie.setPath(base.isEmpty() ? "/" : base);
        request.cookie(cookie);
        log.session(caller(request, identity, Caller.Via.CONSOLE, session), action);
    }

    /** Answers with a new link if the request knows the secret. */
    public void link(Context request) {
        if (!isSecret(request.header(SECRET_HEADER))) throw new RefusedException(403, "That is not the secret.");
        request.contentType("text/plain; charset=utf-8").result(path() + "\n");
    }

    boolean isSecret(@Nullable String shown) {
        return Secret.same(secret, shown);
    }

    /** Whether there are sessions, which can be ended. */
    public boolean isNeeded() {
        return needed;
    }

    /** The sessions of browsers that have not ended, the latest first. */
    public List<BrowserSession> sessions() {
        return sessions.list();
    }

    /** Ends the session of that number, with the pages it looks at, and returns it; null: there is none. */
    public @Nullable BrowserSession end(long number) {
        return sessions.end(number);
    }

    /** Ends the session of a request. */
    public void logout(Context request) {
        log.session(Caller.of(request), "logout");
        sessions.close(session(request));
        request.removeCookie(cookie(request), base.isEmpty() ? "/" : base);
        request.contentType("text/plain; charset=utf-8")
                .result(
                        "This session of the console has ended. \"howdah console\" prints a link that opens another one.\n");
    }
}
