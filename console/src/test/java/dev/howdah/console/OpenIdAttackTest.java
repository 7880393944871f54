package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Answers of a false OpenID provider, and of a browser that was led astray: none opens a session but the honest one. */
@PostgresTest
class OpenIdAttackTest {
    private final TestDatabase database;
    private RSAKey key;
    private HttpServer provider;
    private String issuer;
    private volatile String token = "";
    private volatile String form = "";
    private Console console;
    private ConsoleClient client;

    OpenIdAttackTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void start() throws Exception {
        key = new RSAKeyGenerator(2048).keyID("one").generate();
        provider = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        issuer = "http://127.0.0.1:" + provider.getAddress().getPort();
        answer(
                "/.well-known/openid-configuration",
                () -> "{\"issuer\":\"" + issuer + "\",\"authorization_endpoint\":\"" + issuer
                        + "/auth\",\"token_endpoint\":\"" + issuer + "/token\",\"jwks_uri\":\"" + issuer + "/jwks\"}");
        answer("/jwks", () -> new JWKSet(key.toPublicJWK()).toString());
        answer("/token", () -> "{\"access_token\":\"x\",\"token_type\":\"Bearer\",\"id_token\":\"" + token + "\"}");
        provider.start();
        Properties settings = new Properties();
        settings.setProperty("issuer", issuer);
        settings.setProperty("client-id", "howdah");
        settings.setProperty("role.ops", "operator");
        console = ConsoleFixtures.console(database).openId(settings).start();
        client = new ConsoleClient(console.address());
    }

    private interface Body {
        String text();
    }

    private void answer(String path, Body body) {
        provider.createContext(path, exchange -> {
            if (path.equals("/token"))
                form = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            byte[] bytes = body.text().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
    }

    @AfterEach
    void stop() {
        console.close();
        provider.stop(0);
    }

    /** A login that has begun. */
    private record Begun(String cookie, Map<String, String> query) {
        String callback(String code) {
            return "/login/oidc/callback?code=" + code + "&state=" + query.get("state");
        }
    }

    private Begun begin() {
        HttpResponse<String> answer = client.get("/login/oidc?next=/jobs");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(303);
        String cookie = answer.headers().firstValue("Set-Cookie").orElseThrow();
        Map<String, String> query = new LinkedHashMap<>();
        for (String pair : URI.create(answer.headers().firstValue("Location").orElseThrow())
                .getQuery()
                .split("&", -1)) query.put(pair.split("=", 2)[0], pair.split("=", 2)[1]);
        return new Begun(cookie.substring(0, cookie.indexOf(';')), query);
    }

    private JWTClaimsSet.Builder claims(Begun login) {
        return new JWTClaimsSet.Builder()
                .issuer(issuer)
                .audience("howdah")
                .subject("ann")
                .claim("nonce", login.query().get("nonce"))
                .claim("groups", List.of("ops"))
                .issueTime(new Date())
                .expirationTime(Date.from(Instant.now().plusSeconds(300)));
    }

    private String signed(JWTClaimsSet.Builder claims, RSAKey by) throws Exception {
        SignedJWT jwt = new SignedJWT(
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(by.getKeyID()).build(), claims.build());
        jwt.sign(new RSASSASigner(by));
        return jwt.serialize();
    }

    private HttpResponse<String> end(Begun login, String withToken) {
        token = withToken;
        return client.get(login.callback("c"), "Cookie", login.cookie());
    }

    @Test
    void honestAnswer_opensASession_once() throws Exception {
        Begun login = begin();
        assertThat(login.query()).containsEntry("code_challenge_method", "S256");
        HttpResponse<String> answer = end(login, signed(claims(login), key));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(303);
        assertThat(answer.headers().firstValue("Location")).hasValue("/jobs");
        assertThat(form).contains("code_verifier=").doesNotContain("client_secret");
        String session = answer.headers().allValues("Set-Cookie").stream()
                .filter(each -> each.matches("howdah-\\d+=.*"))
                .findFirst()
                .orElseThrow();
        assertThat(client.get("/tasks", "Cookie", session.substring(0, session.indexOf(';')))
                        .statusCode())
                .isEqualTo(200);
        assertThat(client.get(login.callback("c"), "Cookie", login.cookie()).statusCode())
                .as("the same answer again")
                .isEqualTo(401);
    }

    @Test
    void answer_ofAnotherBrowserOrState_isRefused() throws Exception {
        Begun login = begin();
        token = signed(claims(login), key);
        assertThat(client.get(login.callback("c")).statusCode()).isEqualTo(401);
        Begun other = begin();
        token = signed(claims(other), key);
        assertThat(client.get(other.callback("c"), "Cookie", login.cookie()).statusCode())
                .isEqualTo(401);
        assertThat(client.get("/login/oidc/callback?code=c&state=guessed", "Cookie", login.cookie())
                        .statusCode())
                .isEqualTo(401);
    }

    @Test
    void token_forgedOrForeign_isRefused() throws Exception {
        Begun login = begin();
        assertThat(end(login, new PlainJWT(claims(login).build()).serialize()).statusCode())
                .as("alg none")
                .isEqualTo(401);
        login = begin();
        SignedJWT confused = new SignedJWT(
                new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("one").build(),
                claims(login).build());
        confused.sign(new MACSigner(key.toRSAPublicKey().getEncoded()));
        assertThat(end(login, confused.serialize()).statusCode())
                .as("HS256 with the public key")
                .isEqualTo(401);
        login = begin();
        RSAKey foreign = new RSAKeyGenerator(2048).keyID("one").generate();
        assertThat(end(login, signed(claims(login), foreign)).statusCode())
                .as("another key of the same name")
                .isEqualTo(401);
        login = begin();
        RSAKey unknown = new RSAKeyGenerator(2048).keyID("two").generate();
        assertThat(end(login, signed(claims(login), unknown)).statusCode())
                .as("a key that is not published")
                .isEqualTo(401);
    }

    @Test
    void claims_thatDoNotFit_areRefused() throws Exception {
        Begun login = begin();
        assertThat(end(login, signed(claims(login).audience("other"), key)).statusCode())
                .isEqualTo(401);
        login = begin();
        assertThat(end(
                                login,
                                signed(
                                        claims(login)
                                                .audience(List.of("howdah", "other"))
                                                .claim("azp", "other"),
                                        key))
                        .statusCode())
                .isEqualTo(401);
        login = begin();
        assertThat(end(login, signed(claims(login).claim("nonce", "replayed"), key))
                        .statusCode())
                .isEqualTo(401);
        login = begin();
        assertThat(end(
                                login,
                                signed(
                                        claims(login)
                                                .expirationTime(
                                                        Date.from(Instant.now().minusSeconds(120))),
                                        key))
                        .statusCode())
                .isEqualTo(401);
        login = begin();
        assertThat(end(login, signed(claims(login).claim("groups", List.of("sales")), key))
                        .statusCode())
                .isEqualTo(403);
        assertThat(client.get("/login/oidc").statusCode())
                .as("after five failures")
                .isEqualTo(429);
    }

    @Test
    void settings_thatCannotBe_areRefused() {
        Properties settings = new Properties();
        settings.setProperty("issuer", "http://id.example");
        settings.setProperty("client-id", "howdah");
        settings.setProperty("role.ops", "operator");
        ConsoleBuilder builder = ConsoleFixtures.console(database);
        assertThatThrownBy(() -> builder.openId(settings)).hasMessageContaining("issuer has to be an https:// address");
        settings.setProperty("issuer", "https://id.example");
        settings.setProperty("role.ops", "root");
        assertThatThrownBy(() -> builder.openId(settings)).hasMessageContaining("role.ops has to be one of");
        settings.setProperty("role.ops", "producer");
        assertThatThrownBy(() -> builder.openId(settings)).hasMessageContaining("so it has a token");
        settings.remove("role.ops");
        assertThatThrownBy(() -> builder.openId(settings)).hasMessageContaining("no role is given to anybody");
        settings.setProperty("clientid", "x");
        assertThatThrownBy(() -> builder.openId(settings)).hasMessageContaining("unknown key clientid");
    }
}
