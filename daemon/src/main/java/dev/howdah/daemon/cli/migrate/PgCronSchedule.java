package dev.howdah.daemon.cli.migrate;

import dev.howdah.internal.schedule.CronSchedule;
import dev.howdah.internal.schedule.CronSyntaxException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A schedule of pg_cron in the words of Howdah.
 *
 * @param cron as it is meant here; as it stands there if there is a problem
 * @param problem why it cannot be said here; null: it can
 */
record PgCronSchedule(
        String cron, @Nullable String note, @Nullable String problem) {
    private static final Pattern SECONDS = Pattern.compile("(\\d{1,4})\\s+seconds?", Pattern.CASE_INSENSITIVE);

    static PgCronSchedule of(String schedule) {
        String plain = schedule.strip();
        Matcher seconds = SECONDS.matcher(plain);
        if (seconds.matches()) return ofSeconds(plain, Integer.parseInt(seconds.group(1)));
        if (plain.equalsIgnoreCase("@reboot"))
            return new PgCronSchedule(plain, null, "@reboot: there is no schedule for the start of a server");
        String[] fields = plain.split("\\s+");
        if (fields.length == 5) {
            fields[2] = fields[2].replace('$', 'L');
            plain = String.join(" ", fields);
        }
        try {
            CronSchedule.parse(plain);
            return new PgCronSchedule(plain, null, null);
        } catch (CronSyntaxException e) {
            return new PgCronSchedule(plain, null, String.valueOf(e.getMessage()));
        }
    }

    private static PgCronSchedule ofSeconds(String plain, int seconds) {
        if (seconds > 0 && seconds < 60 && 60 % seconds == 0)
            return new PgCronSchedule(
                    (seconds == 1 ? "*" : "*/" + seconds) + " * * * * *",
                    "by the clock, not from the start of the run before",
                    null);
        return new PgCronSchedule(
                plain,
                null,
                "\"" + plain + "\" is no part of a minute, so no cron says it: add a task with repeat = '" + seconds
                        + " s'");
    }
}
