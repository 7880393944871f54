package dev.howdah.daemon.cli.why;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.health.HealthCheck;
import dev.howdah.health.HealthCheck.Level;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The bounds of the checks of a program; DoctorCommandTest makes them. */
class ProgramChecksTest {
    @ParameterizedTest
    @CsvSource({"0, OK", "9999, OK", "10000, WARNING", "299999, WARNING", "300000, CRITICAL"})
    void clock_thatIsOff_isSaid(long millis, Level level) {
        HealthCheck check = ProgramChecks.clock(millis);
        assertThat(check.level()).isEqualTo(level);
        assertThat(check.remedy() == null).isEqualTo(level == Level.OK);
    }

    @ParameterizedTest
    @CsvSource({
        "90624, 9.6.24, WARNING",
        "120022, 12.22, WARNING",
        "130001, 13.1, OK",
        "180004, 18.4, OK",
        "190000, 19beta1, NOTICE"
    })
    void server_ofAnotherVersion_isSaid(int number, String version, Level level) {
        assertThat(ProgramChecks.server(number, version).level()).isEqualTo(level);
    }
}
