package dev.howdah.console.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CronWordsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "@daily | at 00:00 every day",
                "@Weekly | at 00:00 on Sunday",
                "@yearly | at 00:00 on the 1st in January",
                "@hourly | every hour",
                "* * * * * | every minute",
                "* * * * * * | every second",
                "*/10 * * * * * | every 10 seconds",
                "*/15 * * * * | every 15 minutes",
                "*/15 9-17 * * 1-5 | every 15 minutes from 09:00 until before 18:00 from Monday to Friday",
                "7 * * * * | every hour at minute 7",
                "0 */6 * * * | every 6 hours",
                "0 9-17 * * * | every hour from 09:00 to 17:00",
                "30 3 * * MON-FRI | at 03:30 from Monday to Friday",
                "30 3 * * 0,6 | at 03:30 on Saturday and Sunday",
                "0 3 * * 5-7 | at 03:00 from Friday to Sunday",
                "0 3,15 * * * | at 03:00 and 15:00 every day",
                "15 30 3 * * * | at 03:30:15 every day",
                "0 8 1,15 * * | at 08:00 on the 1st and the 15th of each month",
                "0 8 22-24 3 * | at 08:00 from the 22nd to the 24th in March",
                "0 8 L * * | at 08:00 on the last day of each month",
                "0 8 13 * FRI | at 08:00 on the 13th of each month and on Friday",
                "0 8 * JUN-AUG * | at 08:00 from June to August",
            })
    void expression_plainEnough_isInWords(String cron, String words) {
        assertThat(CronWords.of(cron)).isEqualTo(words);
    }

    @ParameterizedTest // seven does not divide an hour: the last step is shorter
    @CsvSource(
            delimiter = '|',
            value = {"*/7 * * * *", "0 8 LW * *", "0 8 * * 5L", "0 8 */2 * *", "0/5 * * * *", "1-59/2 * * * *"})
    void expression_tooInvolved_hasNoWords(String cron) {
        assertThat(CronWords.of(cron)).isNull();
    }
}
