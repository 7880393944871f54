package dev.howdah.console.internal.chart;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.console.internal.chart.BarChart.Column;
import dev.howdah.console.internal.chart.BarChart.Segment;
import dev.howdah.operations.chart.ChartRange;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class BarChartTest {
    private static final Instant NOW = Instant.parse("2030-05-01T10:30:20Z");

    private static BarChart chart(Column... columns) {
        return BarChart.of(
                ChartRange.H1,
                "x",
                List.of(),
                List.of("fail", "done"),
                List.of(columns),
                2,
                each -> String.valueOf(each));
    }

    private static Column column(String time, double... parts) {
        Instant at = Instant.parse(time);
        return new Column(ChartRange.H1.place(at, NOW), at, "", null, -1, parts);
    }

    @Test
    void bars_standWhereTheirTimesAre_oneOnTheOther() {
        BarChart chart = chart(
                column("2030-05-01T10:30:00Z", 10, 30),
                column("2030-05-01T09:31:00Z", 0, 20),
                column("2030-05-01T09:30:00Z", 0, 20));
        assertThat(chart.bars()).extracting(BarChart.Bar::x).containsExactly(59 * 42, 0);
        assertThat(chart.bars().get(0).segments())
                .containsExactly(new Segment("fail", 75, 25), new Segment("done", 0, 75));
        assertThat(chart.bars().get(1).segments()).containsExactly(new Segment("done", 50, 50));
        assertThat(chart.top()).isEqualTo("40.0");
        assertThat(chart.middle()).isEqualTo("20.0");
    }

    @Test
    void line_isBrokenWhereItsNumberIsNotKnown() {
        BarChart chart = BarChart.of(
                ChartRange.H1,
                "x",
                List.of(),
                List.of("done"),
                List.of(
                        new Column(0, NOW, "", null, 10, 0),
                        new Column(1, NOW, "", null, 20, 0),
                        new Column(2, NOW, "", null, -1, 5),
                        new Column(3, NOW, "", null, 0, 5)),
                2,
                String::valueOf);
        assertThat(chart.lines()).containsExactly("0,50 42,50 42,0 84,0", "126,100 168,100");
        assertThat(chart.top()).isEqualTo("20.0");
    }

    @Test
    void axis_hasNumbersThatAreRead_andWhatIsThereIsSeen() {
        assertThat(List.of(2.0, 7.0, 11.0, 261.0, 1_000.0))
                .extracting(BarChart::round)
                .containsExactly(2.0, 10.0, 20.0, 400.0, 1_000.0);
        assertThat(BarChart.round(0.013)).isEqualTo(0.02);
        assertThat(chart(column("2030-05-01T10:30:00Z", 1, 1_000_000))
                        .bars()
                        .get(0)
                        .segments()
                        .get(0)
                        .height())
                .isEqualTo(1);
        assertThat(chart().top()).isEqualTo("2.0");
    }

    @Test
    void range_hasTicksFromItsBeginningToItsEnd() {
        assertThat(ChartRange.H1.ticks(NOW))
                .containsExactly(
                        Instant.parse("2030-05-01T09:31:00Z"),
                        Instant.parse("2030-05-01T09:46:00Z"),
                        Instant.parse("2030-05-01T10:01:00Z"),
                        Instant.parse("2030-05-01T10:16:00Z"),
                        Instant.parse("2030-05-01T10:31:00Z"));
        assertThat(ChartRange.of("7d").isOfDays()).isTrue();
    }
}
