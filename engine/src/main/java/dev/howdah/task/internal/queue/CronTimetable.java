package dev.howdah.task.internal.queue;

import dev.howdah.internal.schedule.CronSchedule;
import dev.howdah.internal.schedule.CronSyntaxException;
import dev.howdah.internal.schedule.ZoneNames;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** When tasks with a {@code cron} are due. All times are the database's. Belongs to the scheduler's thread. */
public final class CronTimetable {
    private static final int REMEMBERED = 1_000;

    /**
     * A schedule without a zone is read in the one with which a new session of the task's owner begins.
     *
     * @param zone of the row; null where it has none
     * @param ownerZone the setting of the owner, the database or all roles, where the row has no zone; null where there is
     *     none, so that the server's default holds
     */
    public record Cron(
            String text, @Nullable String zone, @Nullable String ownerZone) {
        /** The schedule of a row; null if it has none. */
        static @Nullable public Cron read(ResultSet row) throws SQLException {
            String text = row.getString("cron");
            return text == null ? null : new Cron(text, row.getString("zone"), row.getString("owner_zone"));
        }

        /** Returns whether it is read in the server's default zone. */
        boolean usesDefault() {
            return zone == null && ownerZone == null;
        }
    }

    private record Rule(CronSchedule schedule, ZoneId zone) {}

    /** The zone of sessions for which no role and no database has a setting. */
    public interface DefaultZone {
        /** As PostgreSQL names it. */
        String name();

        /** Returns whether it has to be read again because the configuration or a setting was changed; reads it in the background. */
        default boolean isOutdated() {
            return false;
        }
    }

    private final DefaultZone defaultZone;
    private String rememberedZone = "";
    private final Map<Cron, Rule> rules = new LinkedHashMap<>();

    public CronTimetable(DefaultZone defaultZone) {
        this.defaultZone = defaultZone;
    }

    /** Returns whether schedules without a zone cannot be judged now, because the default zone is being read again. */
    boolean isOutdated() {
        return defaultZone.isOutdated();
    }

    /**
     * The first point after that time; both in microseconds of the epoch.
     *
     * @throws IllegalArgumentException if the row cannot be understood, with the reason
     */
    public long next(Cron cron, long after) {
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
        if (!rememberedZone.equals(defaultZone.name())) {
            rememberedZone = defaultZone.name();
            rules.clear();
        }
        Rule known = rules.get(cron);
        if (known != null) return known;
        if (rules.size() >= REMEMBERED) rules.clear();
        Rule rule = new Rule(schedule(cron.text()), zone(cron));
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

    private ZoneId zone(Cron cron) {
        String zone = cron.zone() != null ? cron.zone() : cron.ownerZone();
        try {
            return ZoneNames.zone(zone == null ? defaultZone.name() : zone);
        } catch (IllegalArgumentException e) {
            String where = cron.zone() == null
                    ? "zone is not given, and the setting TimeZone of the owner's sessions is no zone of a schedule: "
                    : "zone: ";
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
