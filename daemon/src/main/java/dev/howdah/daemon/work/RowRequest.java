package dev.howdah.daemon.work;

import dev.howdah.internal.http.HttpPost;
import dev.howdah.internal.http.RetryAfter;
import dev.howdah.internal.http.Signer;
import dev.howdah.sweep.ReceiverUnavailableException;
import dev.howdah.sweep.RowHandler;
import dev.howdah.sweep.SweepException;
import dev.howdah.sweep.SweepRow;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A POST for each row, with the row as JSON: 2xx is done. Safe for use by many threads. */
public final class RowRequest implements RowHandler {
    private static final int LONGEST_NUMBER = 200;

    /** Answers that say nothing about the row: too many requests, no service at the moment, and none behind a gateway. */
    private static final Set<Integer> LATER = Set.of(429, 502, 503, 504);

    private static final DateTimeFormatter STARTED = DateTimeFormatter.ofPattern(
                    "uuuuMMdd'T'HHmmss.SSSSSSX", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final URI uri;
    private final Map<String, String> headers;
    private final @Nullable Signer signer;
    private final String sweep;
    private final HttpPost post;
    private final Clock clock;

    /**
     * @param headers that users may add
     * @param signer signs requests; null: they are not signed
     * @param sweep its name
     * @param post sends them
     * @param clock for the time in the signature, which the receiver compares with its own
     */
    public RowRequest(
            URI uri, Map<String, String> headers, @Nullable Signer signer, String sweep, HttpPost post, Clock clock) {
        this.uri = uri;
        this.headers = Map.copyOf(headers);
        this.signer = signer;
        this.sweep = sweep;
        this.post = post;
        this.clock = clock;
    }

    @Override
    public void handle(SweepRow row) throws InterruptedException {
        check(send(number(row), row.json().getBytes(StandardCharsets.UTF_8)));
    }

    /**
     * Sends a request.
     *
     * @param number the same for each attempt
     * @throws ReceiverUnavailableException if there is no connection
     */
    HttpPost.Answer send(String number, byte[] body) throws InterruptedException {
        Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        all.put("content-type", "application/json");
        all.putAll(headers);
        all.put("idempotency-key", number);
        if (signer != null) all.putAll(signer.headers(number, clock.instant(), body));
        try {
            return post.send(uri, all, body);
        } catch (HttpPost.UnreachableException e) {
            throw new ReceiverUnavailableException(String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw new SweepException(String.valueOf(e.getMessage()), e);
        }
    }

    /** @throws RuntimeException if that is not 2xx */
    void check(HttpPost.Answer answer) {
        String error = answer.error();
        if (error == null) return;
        if (LATER.contains(answer.status()))
            throw new ReceiverUnavailableException(
                    error, RetryAfter.of(answer.headers(), clock.instant()).orElse(null));
        throw new SweepException(error);
    }

    String sweep() {
        return sweep;
    }

    /** The same for each attempt at a row, and for no other row or run: the sweep's name, its start and the key. */
    String number(SweepRow row) {
        String number = Stream.concat(Stream.of(sweep, STARTED.format(row.started())), row.key().stream())
                .map(each -> URLEncoder.encode(each, StandardCharsets.UTF_8))
                .collect(Collectors.joining("/"));
        return number.length() <= LONGEST_NUMBER
                ? number
                : UUID.nameUUIDFromBytes(number.getBytes(StandardCharsets.UTF_8))
                        .toString();
    }
}
