package dev.howdah.console.internal.web;

import io.javalin.http.Context;
import io.javalin.http.Cookie;
import io.javalin.http.HttpStatus;
import io.javalin.http.SameSite;
import org.jspecify.annotations.Nullable;

/** The way in, where one is needed: a link with a key that opens a session once. Safe for use by many threads. */
final class LoginServer {
    /** The header in which {@code howdah console} sends the secret of the daemon's file. */
    static final String SECRET_HEADER = "X-Howdah-Secret";

    private static final String COOKIE = "howdah";

    private final Logins logins = new Logins(System::nanoTime);
    private final boolean needed;
    private final String secret = Secret.random();

    LoginServer(boolean needed) {
        this.needed = needed;
    }

    /** What has to be shown for a new link, to be kept where only the owner of the program can read it. */
    String secret() {
        return secret;
    }

    /** The path of a link that opens a session; {@code /} where none is needed. */
    String path() {
        return needed ? "/login?key=" + logins.key() : "/";
    }

    /** The session of a request; empty where none is needed. */
    String session(Context request) {
        String id = request.cookie(COOKIE);
        return needed && id != null ? id : "";
    }

    /** Refuses a request without a session. */
    void check(Context request) {
        if (!needed) return;
        String path = request.req().getRequestURI();
        if (path.equals("/login") || path.equals("/login-link") || path.startsWith("/static/")) return;
        if (!logins.isOpen(request.cookie(COOKIE)))
            throw new RefusedException(
                    401,
                    "The console asks for a login here. `howdah console` prints a link that opens it; it has to be run by"
                            + " the user that runs the daemon, on this machine.");
    }

    /** Opens a session for the key of a link. */
    void login(Context request) {
        String id = logins.open(request.queryParam("key"));
        if (needed && id == null)
            throw new RefusedException(
                    401, "This link was used, or is older than ten minutes. `howdah console` prints another one.");
        if (id != null) {
            Cookie cookie = new Cookie(COOKIE, id);
            cookie.setHttpOnly(true);
            cookie.setSameSite(SameSite.LAX);
            cookie.setPath("/");
            request.cookie(cookie);
        }
        request.redirect("/", HttpStatus.SEE_OTHER);
    }

    /** Answers with a new link if the request knows the secret. */
    void link(Context request) {
        if (!isSecret(request.header(SECRET_HEADER))) throw new RefusedException(403, "That is not the secret.");
        request.contentType("text/plain; charset=utf-8").result(path() + "\n");
    }

    boolean isSecret(@Nullable String shown) {
        return Secret.same(secret, shown);
    }

    /** Whether there are sessions, which can be ended. */
    boolean isNeeded() {
        return needed;
    }

    /** Ends the session of a request. */
    void logout(Context request) {
        logins.close(request.cookie(COOKIE));
        request.removeCookie(COOKIE, "/");
        request.contentType("text/plain; charset=utf-8")
                .result(
                        "This session of the console has ended. `howdah console` prints a link that opens another one.\n");
    }
}
