package dev.howdah.daemon.cli.migrate;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The jobs of pg_cron. */
final class PgCronSource {
    private final SourceDatabase source;
    private final String target;
    private final @Nullable String zone;

    /**
     * @param target the database in which the tasks are
     * @param zone null: the one of pg_cron's setting
     */
    PgCronSource(SourceDatabase source, String target, @Nullable String zone) {
        this.source = source;
        this.target = target;
        this.zone = zone;
    }

    List<ForeignSchedule> schedules() throws SQLException {
        return source.rows("command_import_pg_cron", this::schedule);
    }

    private ForeignSchedule schedule(ResultSet row) throws SQLException {
        long id = row.getLong("jobid");
        PgCronSchedule times = PgCronSchedule.of(row.getString("schedule"));
        String elsewhere = row.getString("elsewhere");
        String database = row.getString("database");
        String problem = times.problem();
        if (elsewhere != null)
            problem = "it runs on another server, " + elsewhere + ": import it into the table of tasks there";
        else if (!database.equals(target))
            problem = "it runs in database \"" + database + "\": import it with the --url of that one";
        return new ForeignSchedule(
                id,
                Objects.requireNonNullElse(row.getString("name"), "pg_cron " + id),
                row.getString("owner"),
                times.cron(),
                zone != null ? zone : utc(row.getString("zone")),
                row.getString("command"),
                null,
                row.getBoolean("active"),
                times.note(),
                problem,
                "SELECT cron.alter_job(" + id + ", active => false);");
    }

    private static String utc(String zone) {
        return zone.equals("GMT") ? "UTC" : zone;
    }
}
