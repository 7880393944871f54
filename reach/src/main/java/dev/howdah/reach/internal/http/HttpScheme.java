package dev.howdah.reach.internal.http;

import dev.howdah.internal.http.RetryAfter;
import dev.howdah.internal.http.SenderClock;
import dev.howdah.reach.internal.call.Addresses;
import dev.howdah.reach.internal.call.AnswerText;
import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.Credential;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import dev.howdah.reach.internal.call.Scheme;
import dev.howdah.reach.internal.call.SignatureForm;
import dev.howdah.reach.internal.call.Target;
import dev.howdah.reach.internal.document.DocumentFiles;
import dev.howdah.reach.internal.probe.Probe;
import dev.howdah.reach.internal.probe.ProbeSteps;
import dev.howdah.reach.internal.tls.TlsErrors;
import dev.howdah.reach.internal.trace.ReachTracing;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.http.HttpHeaders;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.apache.hc.client5.http.ClientProtocolException;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.HttpHostConnectException;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.impl.routing.DefaultRoutePlanner;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.HttpStatus;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.net.URIAuthority;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/** Requests: https and http. Redirects are not followed, and an answer is read up to a bound. Safe for use by many threads. */
public final class HttpScheme implements Scheme, Probe {
    /** So much of an answer becomes output. */
    static final int LARGEST_ANSWER = 1 << 20;

    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final Duration KEPT = Duration.ofSeconds(30);
    private static final int CONNECTIONS = 200;
    private static final int MOST_HEADERS = 100;
    private static final int LONGEST_HEADER = 8_192;
    private static final Set<Integer> LATER = Set.of(408, 425, 429, 500, 502, 503, 504);

    private static final String USE = "howdah.use";

    /** A connection is kept for the next request of the same owner with the same credential, through the same proxy. */
    private record Use(String owner, @Nullable Credential credential, Proxies.@Nullable Proxy proxy) {}

    private final Addresses addresses;
    private final Supplier<Proxies> proxies;
    private final HttpDocuments documents = new HttpDocuments();
    private final BodyRoom room = new BodyRoom();
    private final CloseableHttpClient publicly;
    private final CloseableHttpClient privately;

    /** The only hosts that it connects to are proxies, which the administrator has named. */
    private final CloseableHttpClient proxied;

    private final HttpProbe probe;

    /**
     * @param tls the authorities that are trusted, with the certificate of a client or null
     * @param proxies of requests, now
     */
    public HttpScheme(Addresses addresses, Function<@Nullable Credential, SSLContext> tls, Supplier<Proxies> proxies) {
        this.probe = new HttpProbe(addresses, tls);
        TlsSocketStrategy secure = new ClientTls(tls);
        this.addresses = addresses;
        this.proxies = proxies;
        this.publicly = client(addresses, false, secure);
        this.privately = client(addresses, true, secure);
        this.proxied = client(addresses, true, secure);
    }

    /** The credential of a request. */
    static @Nullable Credential credential(HttpContext context) {
        return context.getAttribute(USE) instanceof Use use ? use.credential() : null;
    }

    private static CloseableHttpClient client(Addresses addresses, boolean privately, TlsSocketStrategy tls) {
        DnsResolver resolver = new DnsResolver() {
            @Override
            public InetAddress[] resolve(String host) throws UnknownHostException {
                return addresses.of(host, privately);
            }

            @Override
            public String resolveCanonicalHostname(String host) {
                return host;
            }
        };
        return HttpClients.custom()
                .setConnectionManager(PoolingHttpClientConnectionManagerBuilder.create()
                        .setDnsResolver(resolver)
                        .setTlsSocketStrategy(tls)
                        .setConnectionFactory(ManagedHttpClientConnectionFactory.builder()
                                .http1Config(Http1Config.custom()
                                        .setMaxHeaderCount(MOST_HEADERS)
                                        .setMaxLineLength(LONGEST_HEADER)
                                        .build())
                                .build())
                        .setMaxConnPerRoute(CONNECTIONS)
                        .setMaxConnTotal(CONNECTIONS)
                        .setDefaultConnectionConfig(ConnectionConfig.custom()
                                .setConnectTimeout(Timeout.of(CONNECT))
                                .setTimeToLive(TimeValue.of(Duration.ofMinutes(5)))
                                // A kept connection that the other side has closed is replaced before anything is sent.
                                .setValidateAfterInactivity(TimeValue.ZERO_MILLISECONDS)
                                .build())
                        .build())
                .setRoutePlanner(new DefaultRoutePlanner(null) {
                    @Override
                    protected @Nullable HttpHost determineProxy(HttpHost target, HttpContext context) {
                        Proxies.Proxy proxy = context.getAttribute(USE) instanceof Use use ? use.proxy() : null;
                        return proxy == null ? null : proxy.host();
                    }
                })
                .evictIdleConnections(TimeValue.of(KEPT))
                .setUserAgent("Howdah")
                .disableRedirectHandling()
                // What has been sent once may have been carried out: the row says whether it is tried again.
                .disableAutomaticRetries()
                .disableCookieManagement()
                .disableAuthCaching()
                // What an owner has told the other side with a credential is not for the next one.
                .setUserTokenHandler((route, context) -> context.getAttribute(USE))
                // A small answer that becomes a very large one.
                .disableContentCompression()
                .build();
    }

    @Override
    public @Nullable String run(Call call) throws ReachFailure, IOException, InterruptedException {
        Target target = call.target();
        target.onlyOptions("method", "type", "ok", "input", "answer", "key", "body", "header", "sign");
        String form = target.option("answer");
        if (form != null && !form.equals("body") && !form.equals("json") && !form.equals("document"))
            throw ReachFailure.lasting(
                    Code.ADDRESS, "the option answer is body, json or document, not \"" + form + "\"");
        Statuses wanted = Statuses.of(target.option("ok"));
        RequestText text = RequestText.of(call.task().input(), target);
        if (!RequestBody.isOfDocuments(call)) return send(call, text, RequestBody.of(call, text), form, wanted);
        try (BodyRoom.Lease lease = room.take(call)) {
            RequestBody body = RequestBody.of(call, text);
            lease.made(body.size());
            return send(call, text, body, form, wanted);
        }
    }

    private @Nullable String send(Call call, RequestText text, RequestBody sent, @Nullable String form, Statuses wanted)
            throws ReachFailure, IOException, InterruptedException {
        Target target = call.target();
        HttpUriRequestBase request = request(call, text, sent);
        call.cancellation().onCancel(request::cancel);
        Proxies.Proxy proxy = proxies.get().of(call.task().owner(), target);
        if (proxy != null) checkBehind(call);
        CloseableHttpClient client = proxy != null ? proxied : call.privately() ? privately : publicly;
        HttpClientContext context = HttpClientContext.create();
        context.setAttribute(USE, new Use(call.task().owner(), call.credential(), proxy));
        context.setUserToken(context.getAttribute(USE));
        if (proxy != null) context.setCredentialsProvider(proxy.login());
        try (ClassicHttpResponse response = client.executeOpen(host(target), request, context)) {
            if (proxy != null) checkAnswer(proxy, target, context, response.getCode());
            ReachTracing.answered(response.getCode());
            if ("document".equals(form) && wanted.has(response.getCode()))
                return documents.keep(call, request, response);
            byte[] body = call.withoutSecret(body(request, response, target, LARGEST_ANSWER));
            if (!wanted.has(response.getCode())) throw refused(target, response, body);
            return "json".equals(form) ? AnswerJson.of(response, body) : text(target, response, body);
        } catch (Addresses.PrivateAddressException e) {
            throw Addresses.privateAddress(target, e);
        } catch (UnknownHostException e) {
            if (proxy != null)
                throw ReachFailure.passing(Code.UNKNOWN_HOST, "the host of " + proxy + " is not known", null)
                        .unavailable("its proxy is not known");
            throw Addresses.unknown(target);
        } catch (HttpHostConnectException | ConnectTimeoutException e) {
            throw ReachFailure.passing(
                            Code.NOT_CONNECTED, (proxy == null ? target : proxy) + " cannot be reached", reason(e))
                    .unavailable("it cannot be reached");
        } catch (SSLException e) {
            // Somebody has to look at it.
            throw ReachFailure.lasting(Code.NOT_SECURE, "no secure connection to " + target, TlsErrors.text(e), null);
        } catch (MessageConstraintException e) {
            // Lines before the status, of a server of another protocol, have a bound as well.
            boolean begun = !String.valueOf(e.getMessage()).contains("empty line");
            throw ReachFailure.lasting(
                    Code.ANSWER,
                    target
                            + (begun
                                    ? " answered with more headers than " + MOST_HEADERS + ", or one longer than "
                                            + LONGEST_HEADER / 1024 + " KiB"
                                    : " has answered what is no HTTP"));
        } catch (ClientProtocolException e) {
            throw ReachFailure.lasting(Code.ANSWER, target + " has answered what is no HTTP", reason(e), null);
        }
    }

    @Override
    public void probe(Call call, ProbeSteps steps) throws ReachFailure, IOException {
        Proxies.Proxy proxy = proxies.get().of(call.task().owner(), call.target());
        if (proxy == null) {
            probe.probe(call, steps);
            return;
        }
        checkBehind(call);
        steps.skipped("tcp", "the request would go through " + proxy);
    }

    /** Behind a proxy a host has the address that the proxy finds. What is known here is judged here. */
    private void checkBehind(Call call) throws ReachFailure {
        try {
            addresses.of(call.target().host(), call.privately());
        } catch (Addresses.PrivateAddressException e) {
            throw Addresses.privateAddress(call.target(), e);
        } catch (UnknownHostException e) {
            // Names of the world outside may be known to the proxy alone.
        }
    }

    /** Without a session of TLS an answer to a secure request is that of the proxy. */
    private static void checkAnswer(Proxies.Proxy proxy, Target target, HttpClientContext context, int status)
            throws ReachFailure {
        if (status == HttpStatus.SC_PROXY_AUTHENTICATION_REQUIRED)
            throw ReachFailure.lasting(Code.LOGIN, proxy + " refused the login");
        if (!target.scheme().equals("https") || context.getSSLSession() != null) return;
        String error = proxy + " has not connected to " + target + ", it answered " + status;
        throw LATER.contains(status)
                ? ReachFailure.passing(Code.NOT_CONNECTED, error, null)
                : ReachFailure.lasting(Code.NOT_CONNECTED, error);
    }

    /** The reason of the system, without addresses behind a name. */
    private static @Nullable String reason(Exception e) {
        if (e instanceof ConnectTimeoutException) return "no answer within " + CONNECT.toSeconds() + " s";
        Throwable cause = e instanceof HttpHostConnectException && e.getCause() != null ? e.getCause() : e;
        return AnswerText.shown(cause.getMessage());
    }

    private static HttpHost host(Target target) {
        return new HttpHost(target.scheme(), target.host(), target.port());
    }

    private static HttpUriRequestBase request(Call call, RequestText text, RequestBody body) throws ReachFailure {
        Target target = call.target();
        HttpUriRequestBase request;
        try {
            request = new HttpUriRequestBase(text.method(), new java.net.URI(text.path()));
        } catch (java.net.URISyntaxException e) {
            throw ReachFailure.lasting(Code.INPUT, "the request cannot be sent: its path is none: " + e.getReason());
        }
        boolean usual = target.port() == Target.usualPort(target.scheme());
        request.setScheme(target.scheme());
        request.setAuthority(new URIAuthority(target.host(), usual ? -1 : target.port()));
        request.setConfig(RequestConfig.custom()
                .setResponseTimeout(Timeout.of(call.time()))
                .setConnectionRequestTimeout(Timeout.of(call.time()))
                .setProtocolUpgradeEnabled(false)
                .build());
        // A receiver continues the trace, unless the row has one of its own.
        if (!text.headers().containsKey("traceparent")) ReachTracing.headers().forEach(request::setHeader);
        text.headers().forEach(request::setHeader);
        request.setHeader("accept-encoding", "identity");
        request.setHeader("idempotency-key", text.key() == null ? call.task().key() : text.key());
        request.setHeader("howdah-attempt", Integer.toString(call.task().attempt()));
        Credential credential = call.credential();
        if (credential != null) {
            if (request.getScheme().equals("http") && !call.privately())
                throw ReachFailure.lasting(
                        Code.CREDENTIAL,
                        "a credential is not sent over http: it would be seen on its way",
                        null,
                        "Where this is meant, name the place under \"private\" in the file of --reach.");
            authorize(request, credential);
        }
        String type = body.type();
        if (type != null && !request.containsHeader("content-type")) request.setHeader("content-type", type);
        if (!body.pieces().isEmpty()) request.setEntity(body.entity());
        sign(call, text, body, request);
        return request;
    }

    private static void sign(Call call, RequestText text, RequestBody body, HttpUriRequestBase request) {
        Credential signer = call.signer();
        SignatureForm form = signer == null ? null : signer.signature();
        if (signer == null || form == null) return;
        form.headers(
                        signer.allSecrets(),
                        text.key() == null ? call.task().key() : text.key(),
                        SenderClock.now(),
                        body.pieces())
                .forEach(request::setHeader);
    }

    private static void authorize(HttpUriRequestBase request, Credential credential) throws ReachFailure {
        switch (credential.kind()) {
            case BEARER -> request.setHeader("authorization", "Bearer " + credential.secret());
            case BASIC -> {
                String pair = credential.user() + ":" + credential.secret();
                request.setHeader(
                        "authorization",
                        "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8)));
            }
            case CERTIFICATE -> {
                if (!request.getScheme().equals("https"))
                    throw ReachFailure.lasting(
                            Code.CREDENTIAL,
                            "the credential \"" + credential.name() + "\" is a certificate, which needs https");
            }
            case HEADER -> request.setHeader(String.valueOf(credential.header()), credential.secret());
            case HMAC, WEBHOOK ->
                throw ReachFailure.lasting(
                        Code.CREDENTIAL,
                        "the credential \"" + credential.name() + "\" signs requests: it is named by sign="
                                + credential.name());
            default ->
                throw ReachFailure.lasting(
                        Code.CREDENTIAL,
                        "the credential \"" + credential.name()
                                + "\" is none for requests: its kind has to be bearer, basic, header or certificate");
        }
    }

    /** All of it, if it is not larger than that. */
    static byte[] body(HttpUriRequestBase request, ClassicHttpResponse response, Target target, int largest)
            throws IOException, ReachFailure {
        HttpEntity entity = response.getEntity();
        if (entity == null) return new byte[0];
        if (response.containsHeader("transfer-encoding") && response.containsHeader("content-length")) {
            // What one of the two does not count would be read as the answer to the next request.
            request.cancel();
            throw ReachFailure.lasting(
                    Code.ANSWER, target + " answered with both Content-Length and Transfer-Encoding");
        }
        byte[] body = entity.getContent().readNBytes(largest + 1);
        if (body.length <= largest) return body;
        // Else the rest would be read, to keep the connection.
        request.cancel();
        throw ReachFailure.lasting(
                Code.ANSWER,
                target + " answered more than " + largest / 1024 + " KiB",
                null,
                largest == LARGEST_ANSWER
                        ? "With the option answer=document it becomes a document, up to " + DocumentFiles.LARGEST / 1024
                                + " KiB."
                        : null);
    }

    private static String text(Target target, ClassicHttpResponse response, byte[] body) throws ReachFailure {
        String text = AnswerText.strictly(body, charset(response));
        if (text != null) return text;
        Header coding = response.getFirstHeader("content-encoding");
        if (coding != null)
            throw ReachFailure.lasting(
                    Code.ANSWER,
                    target + " answered compressed, which it was not asked for: Content-Encoding "
                            + AnswerText.shown(coding.getValue()),
                    null,
                    "With the option answer=document it becomes a document as it is.");
        throw ReachFailure.lasting(
                Code.ANSWER,
                target + " answered with bytes that are no text",
                null,
                "With the option answer=json they become base64 in \"body_base64\", with answer=document a document.");
    }

    static Charset charset(ClassicHttpResponse response) {
        Header type = response.getFirstHeader("content-type");
        ContentType read = type == null ? null : ContentType.parseLenient(type.getValue());
        Charset charset = read == null ? null : read.getCharset();
        return charset == null ? StandardCharsets.UTF_8 : charset;
    }

    private static ReachFailure refused(Target target, ClassicHttpResponse response, byte[] body) {
        int status = response.getCode();
        Header location = response.getFirstHeader("location");
        String where = status / 100 == 3 && location != null
                ? "It is to go to " + AnswerText.shown(shown(location.getValue())) + "; redirects are not followed."
                : AnswerText.shown(new String(body, charset(response)));
        String error = target + " answered " + status;
        if (!LATER.contains(status))
            return ReachFailure.lasting(status / 100 == 3 ? Code.REDIRECT : Code.STATUS, error, where, null)
                    .answered();
        Duration wait = RetryAfter.of(headers(response), SenderClock.now()).orElse(Duration.ZERO);
        ReachFailure failure = ReachFailure.passing(Code.STATUS_FOR_NOW, error, where, wait);
        return status == 429 || status == 503 ? failure.unavailable("it answered " + status) : failure;
    }

    /** The address of a redirect without its query and user, which may hold secrets; it may be no address at all. */
    private static String shown(String address) {
        return address.replaceFirst("(?s)[?#].*", "").replaceFirst("(?s)//.*@", "//***@");
    }

    private static HttpHeaders headers(ClassicHttpResponse response) {
        Map<String, List<String>> all = new TreeMap<>();
        for (Header each : response.getHeaders())
            all.computeIfAbsent(each.getName().toLowerCase(Locale.ROOT), name -> new ArrayList<>())
                    .add(String.valueOf(each.getValue()));
        return HttpHeaders.of(all, (name, value) -> true);
    }

    @Override
    public void close() {
        publicly.close(CloseMode.IMMEDIATE);
        privately.close(CloseMode.IMMEDIATE);
        proxied.close(CloseMode.IMMEDIATE);
    }
}
