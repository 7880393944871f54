package dev.howdah.internal.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The codec of payloads that are given none. */
class JacksonCodecTest {
    record Times(Instant instant, ZonedDateTime zoned, OffsetDateTime offset, LocalDate date, Duration duration) {}

    record Optionals(Optional<String> there, Optional<Integer> absent) {}

    private final JacksonCodec codec = new JacksonCodec();

    @Test
    void times_areTheSameAfterwards_withTheirZones() {
        Times times = new Times(
                Instant.parse("2026-03-29T00:59:59.123456789Z"),
                ZonedDateTime.of(2026, 10, 25, 2, 30, 0, 5_000, ZoneId.of("Europe/Berlin"))
                        .withLaterOffsetAtOverlap(),
                OffsetDateTime.parse("2026-01-01T12:00:00+05:45"),
                LocalDate.of(2026, 2, 28),
                Duration.ofMillis(90_061_001));

        String json = codec.encode(times);

        assertThat(json).contains("\"2026-03-29T00:59:59.123456789Z\"", "[Europe/Berlin]", "\"2026-02-28\"");
        assertThat(codec.decode(json, Times.class)).isEqualTo(times);
    }

    @Test
    void optionals_areTheirValues_orNull() {
        Optionals optionals = new Optionals(Optional.of("a"), Optional.empty());

        String json = codec.encode(optionals);

        assertThat(json).isEqualTo("{\"there\":\"a\",\"absent\":null}");
        assertThat(codec.decode(json, Optionals.class)).isEqualTo(optionals);
    }
}
