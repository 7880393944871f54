package dev.howdah.console.internal.oidc;

import com.nimbusds.jwt.JWTClaimsSet;
import dev.howdah.console.internal.access.LoginServer;
import dev.howdah.console.internal.access.RefusedException;
import dev.howdah.console.internal.access.Secret;
import dev.howdah.operations.Role;
import dev.howdah.operations.store.TokenStore;
import io.javalin.http.Context;
import io.javalin.http.Cookie;
import io.javalin.http.HttpStatus;
import io.javalin.http.SameSite;
import java.time.Duration;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Logins by an OpenID provider. A login that has begun is bound to its browser by a cookie, ends with its first answer, and is
 * forgotten after ten minutes. Safe for use by many threads.
 */
public final class OpenIdLogin {
    /** The path at which a login begins; the provider's answer comes to {@code /callback} below. */
    public static final String PATH = "/login/oidc";

    public static final String CALLBACK = PATH + "/callback";
    private static final String COOKIE = "howdah-login";
    private static final long PENDING_NANOS = Duration.ofMinutes(10).toNanos();
    private static final int MOST = 1_000;

    private record Pending(String browser, String nonce, String verifier, String redirect, String next, long begun) {}

    private final OpenIdSettings settings;
    private final OpenIdProvider provider;
    private final LoginServer logins;
    private final String base;
    private final Map<String, Pending> pending = new LinkedHashMap<>();

    public OpenIdLogin(OpenIdSettings settings, LoginServer logins, String base) {
        this.settings = settings;
        this.provider = new OpenIdProvider(settings);
        this.logins = logins;
        this.base = base;
    }

    /** Sends the browser to the provider. */
    public void begin(Context request) {
        logins.checkFailures(request);
        String state = Secret.random();
        String next = request.queryParam("next");
        Pending login = new Pending(
                Secret.random(),
                Secret.random(),
                Secret.random(),
                LoginServer.origin(request) + base + CALLBACK,
                next == null ? "/" : next,
                System.nanoTime());
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("redirect_uri", login.redirect());
        parameters.put("state", state);
        parameters.put("nonce", login.nonce());
        parameters.put("code_challenge", challenge(login.verifier()));
        parameters.put("code_challenge_method", "S256");
        String address = provider.authorization(parameters);
        put(state, login);
        Cookie cookie = new Cookie(COOKIE, login.browser());
        cookie.setHttpOnly(true);
        // Lax: the browser comes back from the provider's page.
        cookie.setSameSite(SameSite.LAX);
        cookie.setSecure(LoginServer.isSecure(request));
        cookie.setMaxAge(600);
        cookie.setPath(base + PATH);
        request.cookie(cookie);
        request.redirect(address, HttpStatus.SEE_OTHER);
    }

    private synchronized void put(String state, Pending login) {
        long now = System.nanoTime();
        pending.values().removeIf(each -> now - each.begun() > PENDING_NANOS);
        if (pending.size() >= MOST) pending.remove(pending.keySet().iterator().next());
        pending.put(state, login);
    }

    private synchronized @Nullable Pending take(@Nullable String state) {
        Pending login = state == null ? null : pending.remove(state);
        return login == null || System.nanoTime() - login.begun() > PENDING_NANOS ? null : login;
    }

    private static String challenge(String verifier) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(TokenStore.hash(verifier));
    }

    /** Opens a session for the code with which the provider has sent the browser back. */
    public void end(Context request) {
        logins.checkFailures(request);
        try {
            finish(request);
        } catch (RefusedException e) {
            logins.failed(request, "oidc", e.getMessage());
            throw e;
        }
    }

    private void finish(Context request) {
        Pending login = take(request.queryParam("state"));
        if (login == null || !Secret.same(login.browser(), request.cookie(COOKIE)))
            throw new RefusedException(
                    401, "This login was not begun here, or is older than ten minutes. Begin again.");
        request.removeCookie(COOKIE, base + PATH);
        String code = request.queryParam("code");
        if (code == null) throw new RefusedException(401, "The OpenID provider has not let you in.");
        JWTClaimsSet claims = provider.claims(code, login.verifier(), login.redirect(), login.nonce());
        Role role = role(claims.getClaim(settings.roleClaim()));
        String name = name(claims);
        if (role == null)
            throw new RefusedException(
                    403,
                    name + " is known to the OpenID provider, and has no role here: none of the values of the claim "
                            + settings.roleClaim() + " stands in the configuration of the console.");
        logins.opened(request, name, role, login.next());
    }

    private String name(JWTClaimsSet claims) {
        return claims.getClaim(settings.nameClaim()) instanceof String name && !name.isBlank()
                ? name
                : claims.getSubject();
    }

    /** The highest of the roles that the values of the claim have; null: none. */
    private @Nullable Role role(@Nullable Object claim) {
        Collection<?> values = claim instanceof Collection<?> many
                ? many
                : claim instanceof String text ? List.of(text.split("\\s+")) : List.of();
        Role highest = null;
        for (Object each : values) {
            Role role = settings.roles().get(String.valueOf(each));
            if (role != null && (highest == null || role.compareTo(highest) > 0)) highest = role;
        }
        return highest;
    }

    /** The provider's name, for people. */
    public String name() {
        return settings.issuer().getHost();
    }
}
