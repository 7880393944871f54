package dev.howdah.sweep.internal.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The hours of a sweep at moments of all kinds. */
class WorkingHoursTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                // over midnight, the end not included
                "22:00-06:00 Europe/Berlin | 2026-01-15T20:59:59Z | closed | 2026-01-15T21:00:00Z",
                "22:00-06:00 Europe/Berlin | 2026-01-15T21:00:00Z | open | -",
                "22:00-06:00 Europe/Berlin | 2026-01-16T04:59:59.999999Z | open | -",
                "22:00-06:00 Europe/Berlin | 2026-01-16T05:00:00Z | closed | 2026-01-16T21:00:00Z",
                // in summer an hour earlier
                "22:00-06:00 Europe/Berlin | 2026-07-15T20:00:00Z | open | -",
                "22:00-06:00 Europe/Berlin | 2026-07-15T19:59:59Z | closed | 2026-07-15T20:00:00Z",
                // clocks go from 02:00 to 03:00: what they leave out does not come
                "02:15-02:45 Europe/Berlin | 2026-03-29T00:30:00Z | closed | 2026-03-30T00:15:00Z",
                "02:30-04:00 Europe/Berlin | 2026-03-29T00:59:59Z | closed | 2026-03-29T01:00:00Z",
                "02:30-04:00 Europe/Berlin | 2026-03-29T01:00:00Z | open | -",
                // clocks go from 03:00 to 02:00: what they show twice counts twice
                "02:15-02:45 Europe/Berlin | 2026-10-25T00:20:00Z | open | -",
                "02:15-02:45 Europe/Berlin | 2026-10-25T00:50:00Z | closed | 2026-10-25T01:15:00Z",
                "02:15-02:45 Europe/Berlin | 2026-10-25T01:20:00Z | open | -",
                "02:00-03:00 Europe/Berlin | 2026-10-25T01:59:59Z | open | -",
                "02:00-03:00 Europe/Berlin | 2026-10-25T02:00:00Z | closed | 2026-10-26T01:00:00Z",
                // several spans, the end of the day, zones with odd offsets
                "12:00-13:00,22:00-24:00 Asia/Kathmandu | 2026-01-15T06:15:00Z | open | -",
                "12:00-13:00,22:00-24:00 Asia/Kathmandu | 2026-01-15T07:15:00Z | closed | 2026-01-15T16:15:00Z",
                "12:00-13:00,22:00-24:00 Asia/Kathmandu | 2026-01-15T18:14:59Z | open | -",
                "12:00-13:00,22:00-24:00 Asia/Kathmandu | 2026-01-15T18:15:00Z | closed | 2026-01-16T06:15:00Z",
                "0:00-6:00 +02:00 | 2026-01-15T03:59:59Z | open | -",
                "0:00-6:00 UTC | 2026-01-15T06:00:00Z | closed | 2026-01-16T00:00:00Z",
            })
    void hours_atAMoment(String text, Instant at, String state, @Nullable Instant next) {
        WorkingHours hours = WorkingHours.of(text);
        assertThat(hours.isOpen(at)).isEqualTo(state.equals("open"));
        assertThat(hours.complaint(at) == null).isEqualTo(state.equals("open"));
        if (next != null) assertThat(hours.next(at)).isEqualTo(next);
        assertThat(WorkingHours.of(hours.toString()).toString()).isEqualTo(hours.toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "22:00-06:00 | there is no time zone in them",
                "12:00-13:00, 22:00-06:00 | there is no time zone in them",
                "'' | there is no time zone in them",
                "22:00-06:00 Europe/Nowhere | there is no time zone \"Europe/Nowhere\"",
                "22-6 Europe/Berlin | \"22-6\" is not a span of times",
                "22:00 Europe/Berlin | \"22:00\" is not a span of times",
                "22:00-06:00, Europe/Berlin | \"\" is not a span of times",
                "25:00-06:00 Europe/Berlin | \"25:00\" is not a time of the day",
                "22:60-06:00 Europe/Berlin | \"22:60\" is not a time of the day",
                "22:00-24:01 Europe/Berlin | \"24:01\" is not a time of the day",
                "24:00-06:00 Europe/Berlin | \"24:00-06:00\" begins at 24:00, which is 00:00",
                "06:00-06:00 Europe/Berlin | \"06:00-06:00\" is empty (\"always\" is at any time)",
                "00:00-24:00 Europe/Berlin | \"00:00-24:00\" is the whole day (\"always\" is at any time)",
            })
    void text_thatIsNone_isRefusedWithTheReason(String text, String why) {
        assertThatThrownBy(() -> WorkingHours.checked(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the hours of a sweep are \"" + text + "\", and " + why
                        + ": they have to be like \"22:00-06:00 Europe/Berlin\" or \"always\"");
    }
}
