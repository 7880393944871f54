package dev.howdah.internal.http;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Sends bodies to addresses, and hears the beginning of what is answered. Redirects are not followed. Safe for use by many
 * threads.
 */
public final class HttpPost {
    /** How long a connection may take. */
    public static final Duration CONNECT = Duration.ofSeconds(10);

    private static final String NAME_OF_HEADER = "[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}";
    private static final String VALUE_OF_HEADER = "[\\x20-\\x7E\\x{80}-\\x{FF}\\t]{0,8000}";

    /** Those that say what the connection does, and those that are ours. */
    private static final Set<String> NOT_THEIRS = Set.of(
            "connection",
            "content-length",
            "expect",
            "host",
            "idempotency-key",
            "keep-alive",
            "proxy-authorization",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade");

    /** White space, control characters, and what changes the direction of writing: an error is one line. */
    private static final String UNPRINTABLE =
            "[\\p{Cc}\\s\\x{61C}\\x{200E}\\x{200F}\\x{2028}-\\x{202E}\\x{2066}-\\x{206F}]+";

    /** So much of an answer is read where only its beginning counts; of it so much is shown. */
    private static final int BEGINNING = 65_536;

    private static final int SHOWN = 1_000;

    private final Duration timeout;
    private final int most;
    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(CONNECT)
            .followRedirects(HttpClient.Redirect.NEVER)
            // An upgrade in the middle of a POST is more than some servers can do.
            .version(HttpClient.Version.HTTP_1_1)
            .build();

    /** @param timeout from the beginning of a request to the end of its answer */
    public HttpPost(Duration timeout) {
        this(timeout, BEGINNING);
    }

    /** @param most how many bytes of an answer are read */
    public HttpPost(Duration timeout, int most) {
        this.timeout = timeout;
        this.most = most;
    }

    /**
     * The response.
     *
     * @param error it in words; null where the status is 2xx
     * @param body as much as was read of it
     * @param whole whether that is all of it
     */
    public record Answer(
            int status, HttpHeaders headers, @Nullable String error, byte[] body, boolean whole) {}

    /**
     * Sends a body, none if it is empty, and waits for the answer.
     *
     * @throws UnreachableException if there was no connection, so that nothing was sent
     * @throws IOException with the address in its message, if there is no answer
     */
    public Answer send(URI uri, Map<String, String> headers, byte[] body) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .timeout(timeout)
                .POST(BodyPublishers.ofByteArray(body))
                .setHeader("user-agent", "Howdah");
        headers.forEach(request::setHeader);
        Beginning beginning = new Beginning(most);
        CompletableFuture<HttpResponse<String>> answer = client.sendAsync(request.build(), beginning);
        try {
            answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            answer.cancel(true);
        } catch (InterruptedException e) {
            answer.cancel(true);
            throw e;
        } catch (ExecutionException e) {
            if (isUnreachable(e.getCause()))
                throw new UnreachableException(shown(uri) + " " + silence(uri, e.getCause()), e.getCause());
            if (!(e.getCause() instanceof HttpTimeoutException) && !beginning.isThere())
                throw new IOException(shown(uri) + " " + silence(uri, e.getCause()), e.getCause());
        }
        // A receiver that does not finish its answer has answered all the same.
        if (!beginning.isThere())
            throw new IOException(shown(uri) + " has not answered within " + timeout.toSeconds() + " s");
        return beginning.answer(shown(uri));
    }

    /** There was no connection to the address. */
    public static final class UnreachableException extends IOException {
        private static final long serialVersionUID = 1;

        UnreachableException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    private static boolean isUnreachable(@Nullable Throwable e) {
        return e instanceof ConnectException || e instanceof HttpConnectTimeoutException;
    }

    /** The status and the first bytes of an answer; what comes after them is not waited for. */
    private static final class Beginning
            implements HttpResponse.BodyHandler<String>, HttpResponse.BodySubscriber<String> {
        private final CompletableFuture<String> body = new CompletableFuture<>();
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final int most;
        private HttpResponse.@Nullable ResponseInfo info;
        private Flow.@Nullable Subscription subscription;
        private boolean whole;

        Beginning(int most) {
            this.most = most;
        }

        @Override
        public synchronized HttpResponse.BodySubscriber<String> apply(HttpResponse.ResponseInfo response) {
            info = response;
            return this;
        }

        @Override
        public CompletionStage<String> getBody() {
            return body;
        }

        @Override
        public synchronized void onSubscribe(Flow.Subscription all) {
            subscription = all;
            all.request(Long.MAX_VALUE);
        }

        @Override
        public synchronized void onNext(List<ByteBuffer> buffers) {
            for (ByteBuffer each : buffers) {
                byte[] some = new byte[Math.min(each.remaining(), most - bytes.size())];
                each.get(some);
                bytes.writeBytes(some);
            }
            if (bytes.size() < most || subscription == null) return;
            subscription.cancel();
            body.complete("");
        }

        @Override
        public void onError(Throwable e) {
            body.complete("");
        }

        @Override
        public synchronized void onComplete() {
            whole = true;
            body.complete("");
        }

        synchronized boolean isThere() {
            return info != null;
        }

        synchronized Answer answer(String from) {
            if (info == null) throw new IllegalStateException("there is no answer");
            int status = info.statusCode();
            if (status >= 200 && status < 300)
                return new Answer(status, info.headers(), null, bytes.toByteArray(), whole);
            String beginning =
                    new String(bytes.toByteArray(), 0, Math.min(bytes.size(), BEGINNING), StandardCharsets.UTF_8);
            if (HtmlText.isPage(info.headers().firstValue("content-type"), beginning))
                beginning = HtmlText.summary(beginning);
            String said = shortened(beginning.replaceAll(UNPRINTABLE, " ").strip());
            String error = from + " answered " + status
                    + info.headers()
                            .firstValue("location")
                            .filter(place -> status / 100 == 3)
                            .map(place -> ", which is to go to " + shown(place) + "; redirects are not followed")
                            .orElse("")
                    + (said.isBlank() ? "" : ": " + said);
            return new Answer(status, info.headers(), error, bytes.toByteArray(), whole);
        }
    }

    /**
     * A header that a user may add.
     *
     * @return its name
     * @throws IllegalArgumentException if it is none, without its value in the message
     */
    public static String checked(String name, String value) {
        String small = name.toLowerCase(Locale.ROOT);
        if (!name.matches(NAME_OF_HEADER))
            throw new IllegalArgumentException("\"" + shortened(name) + "\" is no name of a header");
        if (NOT_THEIRS.contains(small) || small.startsWith("webhook-") || small.startsWith("howdah-"))
            throw new IllegalArgumentException("the header " + name + " is not yours to say");
        if (!value.matches(VALUE_OF_HEADER))
            throw new IllegalArgumentException(
                    "the value of the header " + name + " has characters that none may have, or too many");
        return name;
    }

    /** Without the query, which may hold a secret. */
    public static String shown(URI uri) {
        return uri.getScheme() + "://" + uri.getRawAuthority() + uri.getRawPath();
    }

    /** The address of a redirect without its query, user and fragment, which may hold secrets; it may be no URI at all. */
    private static String shown(String place) {
        String path =
                place.replaceFirst("(?s)[?#].*", "").replaceFirst("^((?:[A-Za-z][A-Za-z0-9+.-]*:)?//)[^/]*@", "$1");
        return shortened(path.replaceAll(UNPRINTABLE, " ").strip());
    }

    private static String shortened(String text) {
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
    }

    /** Why there is no answer. A receiver that hangs up may have carried out the request. */
    private static String silence(URI uri, @Nullable Throwable e) {
        boolean hungUp = !(e instanceof SSLException)
                && Stream.iterate(e, Objects::nonNull, Throwable::getCause).anyMatch(EOFException.class::isInstance);
        return hungUp ? "has closed the connection without an answer" : "cannot be reached: " + describe(uri, e);
    }

    private static String describe(URI uri, @Nullable Throwable e) {
        if (e == null) return "no reason is known";
        if (Stream.iterate(e, Objects::nonNull, Throwable::getCause)
                .anyMatch(each -> each instanceof UnresolvedAddressException || each instanceof UnknownHostException))
            return "unknown host \"" + shown(String.valueOf(uri.getHost())) + "\"";
        String message = e.getMessage();
        boolean silent = message == null || message.isBlank();
        // The client of Java leaves out the reason of the system.
        if (silent && e instanceof ConnectException) return "connection refused by " + hostAndPort(uri);
        String name = e.getClass().getSimpleName();
        return silent ? name : name + ": " + message;
    }

    private static String hostAndPort(URI uri) {
        int port = uri.getPort() >= 0 ? uri.getPort() : "https".equalsIgnoreCase(uri.getScheme()) ? 443 : 80;
        return shown(String.valueOf(uri.getHost())) + ":" + port;
    }
}
