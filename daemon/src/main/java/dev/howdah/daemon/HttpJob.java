package dev.howdah.daemon;

import dev.howdah.job.FatalException;
import dev.howdah.job.Handler;
import dev.howdah.job.Job;
import dev.howdah.job.Kind;
import dev.howdah.spi.RetryPolicy;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Jobs of kind http: {@code {"url": "https://hooks.example.com/x", "body": {"id": 7}, "headers": {"x-shop": "1"}}}, a signed
 * POST. 2xx is done; 4xx has failed for good, but for those that say "later"; everything else is tried again.
 */
final class HttpJob implements Handler<String> {
    static final Kind<String> KIND = Kind.of("http", String.class);

    private static final Set<String> KEYS = Set.of("url", "body", "headers");
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

    private static final Set<Integer> LATER = Set.of(408, 425, 429);
    static final Duration CONNECT = Duration.ofSeconds(10);
    /** So much of an answer is read; of it so much stands with the job. */
    private static final int READ = 65_536;

    private static final int SHOWN = 1_000;

    private final HttpPlaces places;
    private final Signer signer;
    private final Duration timeout;
    private final String database;
    private final Clock clock;
    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(CONNECT)
            .followRedirects(HttpClient.Redirect.NEVER)
            // An upgrade in the middle of a POST is more than some servers can do.
            .version(HttpClient.Version.HTTP_1_1)
            .build();

    /**
     * @param database what tells its jobs from those of other databases
     * @param clock for the time in the signature, which its reader compares with his own
     */
    HttpJob(HttpPlaces places, Signer signer, Duration timeout, String database, Clock clock) {
        this.places = places;
        this.signer = signer;
        this.timeout = timeout;
        this.database = database;
        this.clock = clock;
    }

    /** An answer that says when to come again. */
    static final class Later extends Exception {
        private static final long serialVersionUID = 1;

        private final Duration delay;

        Later(String message, Duration delay) {
            super(message);
            this.delay = delay;
        }
    }

    /** As that policy, but not before an answer has asked to be. */
    static RetryPolicy patient(RetryPolicy policy) {
        return (attempt, failure) -> {
            Optional<Duration> delay = policy.delay(attempt, failure);
            return failure instanceof Later later
                    ? delay.map(d -> d.compareTo(later.delay) > 0 ? d : later.delay)
                    : delay;
        };
    }

    @Override
    public void handle(String payload, Job job) throws Exception {
        HttpRequest request = request(JobPayload.of("http", payload, KEYS), job);
        HttpResponse<InputStream> response;
        try {
            response = client.send(request, BodyHandlers.ofInputStream());
        } catch (HttpTimeoutException e) {
            throw new IOException(shown(request.uri()) + " has not answered within " + timeout.toSeconds() + " s", e);
        } catch (IOException e) {
            throw new IOException(shown(request.uri()) + " cannot be reached: " + describe(e), e);
        }
        int status = response.statusCode();
        String said = text(response.body());
        if (status >= 200 && status < 300) {
            job.result("{\"status\":" + status + "}");
            return;
        }
        String error = shown(request.uri()) + " answered " + status
                + response.headers()
                        .firstValue("location")
                        .filter(place -> status / 100 == 3)
                        .map(place -> ", which is to go to " + shortened(place) + "; redirects are not followed")
                        .orElse("")
                + (said.isBlank() ? "" : ": " + said);
        if (status / 100 == 4 && !LATER.contains(status)) throw new FatalException(error);
        throw new Later(
                error, RetryAfter.of(response.headers(), clock.instant()).orElse(Duration.ZERO));
    }

    private HttpRequest request(JobPayload payload, Job job) {
        URI uri;
        try {
            uri = places.check(payload.text("url"));
        } catch (IllegalArgumentException e) {
            throw new FatalException(String.valueOf(e.getMessage()), e);
        }
        String json = payload.json("body");
        byte[] body = json == null ? new byte[0] : json.getBytes(StandardCharsets.UTF_8);
        String number = database + "-" + job.id();
        long seconds = clock.instant().getEpochSecond();
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .timeout(timeout)
                .POST(BodyPublishers.ofByteArray(body))
                .setHeader("user-agent", "Howdah");
        if (json != null) request.setHeader("content-type", "application/json");
        payload.texts("headers").forEach((name, value) -> request.setHeader(checked(name, value), value));
        return request.setHeader("idempotency-key", number)
                .setHeader("webhook-id", number)
                .setHeader("webhook-timestamp", Long.toString(seconds))
                .setHeader("webhook-signature", signer.signature(number, seconds, body))
                .setHeader("howdah-attempt", Integer.toString(job.attempt()))
                .setHeader("howdah-fencing-token", Long.toString(job.fencingToken()))
                .build();
    }

    private static String checked(String name, String value) {
        String small = name.toLowerCase(Locale.ROOT);
        if (!name.matches(NAME_OF_HEADER))
            throw new FatalException("\"" + shortened(name) + "\" is no name of a header");
        if (NOT_THEIRS.contains(small) || small.startsWith("webhook-") || small.startsWith("howdah-"))
            throw new FatalException("the header " + name + " is not the job's to say");
        if (!value.matches(VALUE_OF_HEADER))
            throw new FatalException(
                    "the value of the header " + name + " has characters that none may have, or too many");
        return name;
    }

    /** The beginning of an answer. Whoever does not finish it has answered all the same. */
    private static String text(InputStream answer) {
        try (answer) {
            byte[] bytes = answer.readNBytes(READ);
            return shortened(new String(bytes, StandardCharsets.UTF_8)
                    .replaceAll("[\\p{Cntrl}\\s]+", " ")
                    .strip());
        } catch (IOException e) {
            return "";
        }
    }

    /** Without the query, in which there may be what is nobody's business. */
    private static String shown(URI uri) {
        return uri.getScheme() + "://" + uri.getRawAuthority() + uri.getRawPath();
    }

    private static String shortened(String text) {
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
    }

    private static String describe(IOException e) {
        String message = e.getMessage();
        String name = e.getClass().getSimpleName();
        return message == null || message.isBlank() ? name : name + ": " + message;
    }
}
