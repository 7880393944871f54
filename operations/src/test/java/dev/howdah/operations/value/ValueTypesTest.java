package dev.howdah.operations.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Values as people and programs write them: what a type prints, it reads again; what is not possible is said with the value. */
class ValueTypesTest {
    private static final PeriodValue PERIOD =
            new PeriodValue(Duration.ofMillis(10), Duration.ofDays(366), "10 ms to 366 days");

    static List<Arguments> read() {
        return List.of(
                Arguments.of(new TextValue(3), " abc ", "abc"),
                Arguments.of(new WholeValue(-100, 100), "-7", -7),
                Arguments.of(new IdValue(), "123456789012345678", 123456789012345678L),
                Arguments.of(DecimalValue.of("0", "1000000000"), "0.5", 0.5),
                Arguments.of(DecimalValue.of("0", "1000000000"), "1.0E9", 1e9),
                Arguments.of(new FlagValue(), "on", true),
                Arguments.of(new FlagValue(), "false", false),
                Arguments.of(ChoiceValue.of("rate", "share"), "share", "share"),
                Arguments.of(PERIOD, "90 s", Duration.ofSeconds(90)),
                Arguments.of(PERIOD, "1h30min", Duration.ofMinutes(90)),
                Arguments.of(PERIOD, "2d 5m", Duration.ofDays(2).plusMinutes(5)),
                Arguments.of(PERIOD, "10 minutes", Duration.ofMinutes(10)),
                Arguments.of(PERIOD, "250 ms", Duration.ofMillis(250)),
                Arguments.of(PERIOD, "pt5m", Duration.ofMinutes(5)),
                Arguments.of(PERIOD, "90d", Duration.ofDays(90)),
                Arguments.of(new TimeValue(false), "2026-11-25T14:00:00Z", Instant.parse("2026-11-25T14:00:00Z")),
                Arguments.of(new TimeValue(false), "2026-11-25 14:00 +01:00", Instant.parse("2026-11-25T13:00:00Z")),
                Arguments.of(new TimeValue(false), "2026-11-25", Instant.parse("2026-11-25T00:00:00Z")),
                Arguments.of(new TimeValue(true), "2026-11-25", Instant.parse("2026-11-26T00:00:00Z")),
                Arguments.of(new ManyValue<>(new TextValue(3), 2), "a\r\n b \n\n", List.of("a", "b")));
    }

    @ParameterizedTest
    @MethodSource("read")
    <T> void text_isRead_andWhatIsPrintedToo(ValueType<T> type, String text, T value) {
        assertThat(type.read(text)).isEqualTo(value);
        assertThat(type.read(type.print(value))).isEqualTo(value);
    }

    static List<Arguments> wrong() {
        return List.of(
                Arguments.of(new TextValue(3), "abcd", "has to have up to 3 characters, not 4"),
                Arguments.of(new TextValue(3), "  ", "is empty"),
                Arguments.of(new WholeValue(-100, 100), "101", "has to be a number from -100 to 100, not \"101\""),
                Arguments.of(new WholeValue(-100, 100), "1.5", "not \"1.5\""),
                Arguments.of(new WholeValue(-100, 100), "99999999999", "not \"99999999999\""),
                Arguments.of(new IdValue(), "0", "has to be a number, not \"0\""),
                Arguments.of(new IdValue(), "-1", "not \"-1\""),
                Arguments.of(DecimalValue.of("0.001", "1000"), "0", "has to be a number from 0.001 to 1000, not \"0\""),
                Arguments.of(DecimalValue.of("0.001", "1000"), "NaN", "not \"NaN\""),
                Arguments.of(DecimalValue.of("0.001", "1000"), "1e99", "not \"1e99\""),
                Arguments.of(new FlagValue(), "yes", "has to be true or false, not \"yes\""),
                Arguments.of(ChoiceValue.of("rate", "share"), "all", "has to be one of rate, share, not \"all\""),
                Arguments.of(PERIOD, "5", "a period is written as 90 s"),
                Arguments.of(PERIOD, "-5 m", "not \"-5 m\""),
                Arguments.of(PERIOD, "5 m x", "not \"5 m x\""),
                Arguments.of(PERIOD, "1 ms", "has to be 10 ms to 366 days, not \"1 ms\""),
                Arguments.of(PERIOD, "999999999 d", "has to be 10 ms to 366 days"),
                Arguments.of(new TimeValue(false), "soon", "a time is written as"),
                Arguments.of(new TimeValue(false), "2026-02-30", "there is no day"),
                Arguments.of(new ManyValue<>(new TextValue(3), 2), "a\nb\nc", "has to have up to 2 values, not 3"),
                Arguments.of(new ManyValue<>(new TextValue(3), 2), "a\nbcde", "has to have up to 3 characters"));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void text_thatIsNotPossible_isRefusedWithTheReason(ValueType<?> type, String text, String reason) {
        assertThatThrownBy(() -> type.read(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason);
    }
}
