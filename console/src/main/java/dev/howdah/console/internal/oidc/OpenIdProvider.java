package dev.howdah.console.internal.oidc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.DefaultResourceRetriever;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import dev.howdah.console.internal.access.RefusedException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is asked of a provider. Its addresses and keys are read when they are needed first. Safe for use by many threads. */
final class OpenIdProvider {
    private static final Logger log = LoggerFactory.getLogger(OpenIdProvider.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int TIMEOUT_MILLIS = 10_000;
    private static final int LARGEST = 200_000;
    private static final int CLOCK_SKEW_SECONDS = 60;

    /** No HMAC: the public key would be its secret. And never "none". */
    private static final Set<JWSAlgorithm> ALGORITHMS =
            Set.of(JWSAlgorithm.RS256, JWSAlgorithm.PS256, JWSAlgorithm.ES256);

    private final OpenIdSettings settings;
    private final ObjectMapper mapper = new ObjectMapper();
    private final HttpClient http = HttpClient.newBuilder()
            .connectTimeout(TIMEOUT)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
    private volatile @Nullable Endpoints endpoints;

    private record Endpoints(
            String authorization, URI token, boolean isPost, JWSVerificationKeySelector<SecurityContext> keys) {}

    OpenIdProvider(OpenIdSettings settings) {
        this.settings = settings;
    }

    /** The address at which a person logs in. */
    String authorization(Map<String, String> parameters) {
        Map<String, String> all = new LinkedHashMap<>(parameters);
        all.put("response_type", "code");
        all.put("client_id", settings.clientId());
        all.put("scope", settings.scope());
        String address = endpoints().authorization();
        return address + (address.contains("?") ? "&" : "?") + form(all);
    }

    /**
     * The claims about the person of a code.
     *
     * @throws RefusedException if the provider does not know the code, or its token is not sound
     */
    JWTClaimsSet claims(String code, String verifier, String redirect, String nonce) {
        Endpoints known = endpoints();
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("grant_type", "authorization_code");
        parameters.put("code", code);
        parameters.put("redirect_uri", redirect);
        parameters.put("code_verifier", verifier);
        HttpRequest.Builder request = HttpRequest.newBuilder(known.token())
                .timeout(TIMEOUT)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("Accept", "application/json");
        String secret = settings.clientSecret();
        if (secret != null && !known.isPost()) {
            String pair = encoded(settings.clientId()) + ":" + encoded(secret);
            request.header(
                    "Authorization",
                    "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8)));
        } else {
            parameters.put("client_id", settings.clientId());
            if (secret != null) parameters.put("client_secret", secret);
        }
        JsonNode answer = json(request.POST(HttpRequest.BodyPublishers.ofString(form(parameters)))
                .build());
        return verified(answer.path("id_token").asText(""), nonce, known);
    }

    private JWTClaimsSet verified(String token, String nonce, Endpoints known) {
        DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();
        processor.setJWSKeySelector(known.keys());
        DefaultJWTClaimsVerifier<SecurityContext> verifier = new DefaultJWTClaimsVerifier<>(
                settings.clientId(),
                new JWTClaimsSet.Builder()
                        .issuer(settings.issuer().toString())
                        .claim("nonce", nonce)
                        .build(),
                Set.of("sub", "exp", "iat"));
        verifier.setMaxClockSkew(CLOCK_SKEW_SECONDS);
        processor.setJWTClaimsSetVerifier(verifier);
        try {
            JWTClaimsSet claims = processor.process(token, null);
            Object party = claims.getClaim("azp");
            if (party == null ? claims.getAudience().size() > 1 : !party.equals(settings.clientId()))
                throw new BadJOSEException("it was issued to another client");
            return claims;
        } catch (ParseException | BadJOSEException | JOSEException e) {
            log.warn("a token of {} is refused: {}", settings.issuer(), e.getMessage());
            throw new RefusedException(401, "The token of the OpenID provider is not sound; the log says why.");
        }
    }

    private Endpoints endpoints() {
        Endpoints known = endpoints;
        if (known == null) endpoints = known = discover();
        return known;
    }

    private Endpoints discover() {
        String issuer = settings.issuer().toString();
        JsonNode document = json(HttpRequest.newBuilder(URI.create(issuer.endsWith("/") ? issuer : issuer + "/")
                        .resolve(".well-known/openid-configuration"))
                .timeout(TIMEOUT)
                .build());
        if (!document.path("issuer").asText("").equals(issuer)) {
            log.warn("the provider at {} says that it is {}", issuer, document.path("issuer"));
            throw new RefusedException(502, "The OpenID provider goes by another name; the log says by which.");
        }
        try {
            JsonNode methods = document.path("token_endpoint_auth_methods_supported");
            boolean isPost = methods.isArray() && !methods.toString().contains("\"client_secret_basic\"");
            return new Endpoints(
                    document.required("authorization_endpoint").asText(),
                    address(document, "token_endpoint"),
                    isPost,
                    new JWSVerificationKeySelector<>(
                            ALGORITHMS,
                            JWKSourceBuilder.create(
                                            address(document, "jwks_uri").toURL(),
                                            new DefaultResourceRetriever(TIMEOUT_MILLIS, TIMEOUT_MILLIS, LARGEST))
                                    .build()));
        } catch (IllegalArgumentException | IOException e) {
            log.warn("the configuration of {} cannot be used", issuer, e);
            throw new RefusedException(502, "The OpenID provider cannot be used; the log says why.");
        }
    }

    /** An address to which secrets are sent, or from which keys come: by TLS, unless the issuer itself is on this machine. */
    private URI address(JsonNode document, String key) {
        URI uri = URI.create(document.required(key).asText());
        if (!"https".equals(uri.getScheme())
                && !String.valueOf(uri.getHost()).equals(settings.issuer().getHost()))
            throw new IllegalArgumentException(key + " is not an https:// address");
        return uri;
    }

    private JsonNode json(HttpRequest request) {
        try {
            HttpResponse<byte[]> answer = http.send(
                    request,
                    info -> HttpResponse.BodySubscribers.mapping(
                            HttpResponse.BodySubscribers.ofInputStream(), OpenIdProvider::bounded));
            if (answer.statusCode() == 200) return mapper.readTree(answer.body());
            log.warn(
                    "{} answers with status {}: {}",
                    request.uri(),
                    answer.statusCode(),
                    new String(answer.body(), StandardCharsets.UTF_8)
                            .lines()
                            .findFirst()
                            .orElse(""));
        } catch (IOException e) {
            log.warn("{} does not answer: {}", request.uri(), e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new RefusedException(502, "The OpenID provider has not answered as it should; the log says why.");
    }

    private static byte[] bounded(InputStream in) {
        try (in) {
            return in.readNBytes(LARGEST);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String form(Map<String, String> parameters) {
        return parameters.entrySet().stream()
                .map(each -> each.getKey() + "=" + encoded(each.getValue()))
                .collect(Collectors.joining("&"));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
