package dev.howdah.console.internal.access;

import dev.howdah.console.internal.store.TokenStore;
import io.javalin.http.Context;
import io.javalin.http.Cookie;
import io.javalin.http.HttpStatus;
import io.javalin.http.SameSite;
import org.jspecify.annotations.Nullable;

/**
 * Logins, where they are needed: a link with a key that opens a session once, a token in a header, or a token that is exchanged for a
 * session. Safe for use by many threads.
 */
public final class LoginServer {
    /** The header in which {@code howdah console} sends the secret of the daemon's file. */
    static final String SECRET_HEADER = "X-Howdah-Secret";

    private static final String COOKIE = "howdah";
    private static final String BEARER = "Bearer ";
    private static final Identity LOCAL = new Identity("local", Role.ADMINISTRATOR, null);
    private static final Identity LINK = new Identity("link", Role.ADMINISTRATOR, null);

    private final Sessions sessions = new Sessions(System::nanoTime);
    private final Tokens tokens;
    private final boolean needed;
    private final String secret = Secret.random();

    public LoginServer(boolean needed, TokenStore tokens) {
        this.needed = needed;
        this.tokens = new Tokens(tokens);
    }

    /** What has to be shown for a new link, to be kept where only the owner of the program can read it. */
    public String secret() {
        return secret;
    }

    /** The path of a link that opens a session; {@code /} where none is needed. */
    public String path() {
        return needed ? "/login?key=" + sessions.key() : "/";
    }

    /** The session of a request; empty where none is needed. */
    public String session(Context request) {
        String id = request.cookie(COOKIE);
        return needed && id != null ? id : "";
    }

    /** Returns whether a request shows a token. */
    static boolean hasToken(Context request) {
        return request.header("Authorization") != null;
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
            identity = byHeader(request);
        } else if (!needed) {
            identity = LOCAL;
        } else {
            session = session(request);
            identity = sound(sessions.use(session));
            if (identity == null)
                throw new RefusedException(
                        401,
                        "The console asks for a login here. `howdah console` prints a link that opens it; it has to be run by"
                                + " the user that runs the daemon, on this machine.");
        }
        return new Caller(identity.name(), identity.role(), via, request.ip(), session);
    }

    private Identity byHeader(Context request) {
        String header = String.valueOf(request.header("Authorization"));
        Identity identity = header.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? tokens.find(header.substring(BEARER.length()).strip())
                : null;
        if (identity != null) return identity;
        request.header("WWW-Authenticate", "Bearer");
        throw new RefusedException(401, "This token is not accepted: it is none, was revoked, or has expired.");
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
            if (!sessions.take(request.queryParam("key")))
                throw new RefusedException(
                        401, "This link was used, or is older than ten minutes. `howdah console` prints another one.");
            open(request, LINK);
        }
        request.redirect("/", HttpStatus.SEE_OTHER);
    }

    /** Opens a session for the token of a form. */
    public void exchange(Context request) {
        String token = request.formParam("token");
        Identity identity = token == null ? null : tokens.find(token.strip());
        if (identity == null)
            throw new RefusedException(401, "This token is not accepted: it is none, was revoked, or has expired.");
        open(request, identity);
        request.redirect(next(request.formParam("next")), HttpStatus.SEE_OTHER);
    }

    /** A path of our own; anything else leads to the first page. */
    private static String next(@Nullable String wanted) {
        return wanted != null && wanted.matches("/(?![/\\\\])[\\x21-\\x7e&&[^\\\\]]*") ? wanted : "/";
    }

    private void open(Context request, Identity identity) {
        Cookie cookie = new Cookie(COOKIE, sessions.open(identity));
        cookie.setHttpOnly(true);
        cookie.setSameSite(SameSite.LAX);
        cookie.setPath("/");
        request.cookie(cookie);
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

    /** Ends the session of a request. */
    public void logout(Context request) {
        sessions.close(request.cookie(COOKIE));
        request.removeCookie(COOKIE, "/");
        request.contentType("text/plain; charset=utf-8")
                .result(
                        "This session of the console has ended. `howdah console` prints a link that opens another one.\n");
    }
}
