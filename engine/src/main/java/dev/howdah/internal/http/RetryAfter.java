package dev.howdah.internal.http;

import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** The header Retry-After: seconds, or a date by the clock of the server that has answered. */
public final class RetryAfter {
    /** No server is waited for any longer. */
    private static final Duration LONGEST = Duration.ofDays(1);

    private RetryAfter() {}

    /** @param now used where the answer does not say what time it is */
    public static Optional<Duration> of(HttpHeaders headers, Instant now) {
        return headers.firstValue("retry-after").map(String::strip).flatMap(text -> {
            if (text.matches("\\d{1,9}")) return Optional.of(within(Duration.ofSeconds(Long.parseLong(text))));
            Instant theirs =
                    headers.firstValue("date").flatMap(RetryAfter::moment).orElse(now);
            return moment(text).map(then -> within(Duration.between(theirs, then)));
        });
    }

    private static Optional<Instant> moment(String text) {
        try {
            return Optional.of(ZonedDateTime.parse(text.strip(), DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant());
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static Duration within(Duration delay) {
        if (delay.isNegative()) return Duration.ZERO;
        return delay.compareTo(LONGEST) > 0 ? LONGEST : delay;
    }
}
