package dev.howdah.task;

import dev.howdah.internal.schedule.CronSchedule;
import dev.howdah.internal.schedule.CronSyntaxException;
import dev.howdah.internal.schedule.ZoneNames;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** When tasks with a {@code cron} are due. All times are the database's. Belongs to the scheduler's thread. */
final class Timetable {
    private static final int REMEMBERED = 1_000;

    /** What a row says; {@code zone} null: the one that the scheduler's session has. */
    record Cron(String text, @Nullable String zone) {}

    private record Rule(CronSchedule schedule, ZoneId zone) {}

    private final String defaultZone;
    private final Map<Cron, Rule> rules = new LinkedHashMap<>();

    /** @param defaultZone as PostgreSQL names it */
    Timetable(String defaultZone) {
        this.defaultZone = defaultZone;
    }

    /**
     * The first point after that time; both in microseconds of the epoch.
     *
     * @throws IllegalArgumentException if the row cannot be understood, with the reason
     */
    long next(Cron cron, long after) {
        Rule rule = rule(cron);
        try {
            return micros(rule.schedule().next(instant(after), rule.zone()));
        } catch (RuntimeException e) {
            throw outOfReach(cron, after, e);
        }
    }

    /** The same, where that time is itself a point as well. */
    long nextOrSame(Cron cron, long from) {
        Rule rule = rule(cron);
        try {
            return micros(rule.schedule().nextOrSame(instant(from), rule.zone()));
        } catch (RuntimeException e) {
            throw outOfReach(cron, from, e);
        }
    }

    /** What cannot be computed for one row is the fault of that row. */
    private static IllegalArgumentException outOfReach(Cron cron, long from, RuntimeException e) {
        return new IllegalArgumentException(
                "cron '" + cron.text() + "' has no point from " + instant(from) + " on that can be planned: " + e, e);
    }

    private Rule rule(Cron cron) {
        Rule known = rules.get(cron);
        if (known != null) return known;
        if (rules.size() >= REMEMBERED) rules.clear();
        Rule rule = new Rule(schedule(cron.text()), zone(cron.zone()));
        rules.put(cron, rule);
        return rule;
    }

    private static CronSchedule schedule(String text) {
        try {
            return CronSchedule.parse(text);
        } catch (CronSyntaxException e) {
            throw new IllegalArgumentException("cron '" + text + "': " + e.getMessage(), e);
        }
    }

    private ZoneId zone(@Nullable String zone) {
        try {
            return ZoneNames.zone(zone == null ? defaultZone : zone);
        } catch (IllegalArgumentException e) {
            String where = zone == null ? "zone is not given, and the session's TimeZone does not help: " : "zone: ";
            throw new IllegalArgumentException(where + e.getMessage(), e);
        }
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    private static long micros(Instant instant) {
        // Not ChronoUnit.MICROS.between, which counts nanoseconds on some versions of Java and has 292 years for that.
        return Math.addExact(Math.multiplyExact(instant.getEpochSecond(), 1_000_000L), instant.getNano() / 1_000);
    }
}
