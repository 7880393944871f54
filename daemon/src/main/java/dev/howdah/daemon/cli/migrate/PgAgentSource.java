package dev.howdah.daemon.cli.migrate;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The schedules of pgAgent's jobs. */
final class PgAgentSource {
    /** @param values group, name and code as literals of SQL, with commas */
    private record Step(
            long job,
            String name,
            boolean isSql,
            String code,
            String values,
            boolean elsewhere,
            String database,
            String onError) {}

    private final SourceDatabase source;
    private final String target;
    private final String table;
    private final String zone;
    private final @Nullable String owner;

    /**
     * @param target the database in which the tasks are
     * @param table of tasks, quoted
     * @param owner of the tasks; null: the role that connects
     */
    PgAgentSource(SourceDatabase source, String target, String table, String zone, @Nullable String owner) {
        this.source = source;
        this.target = target;
        this.table = table;
        this.zone = zone;
        this.owner = owner;
    }

    List<ForeignSchedule> schedules() throws SQLException {
        Map<Long, List<Step>> steps = source.rows("command_import_pgagent_steps", PgAgentSource::step).stream()
                .collect(Collectors.groupingBy(Step::job));
        return source.rows(
                "command_import_pgagent_schedules",
                row -> schedule(row, steps.getOrDefault(row.getLong("jobid"), List.of())));
    }

    private static Step step(ResultSet row) throws SQLException {
        return new Step(
                row.getLong("jobid"),
                row.getString("name"),
                row.getString("kind").equals("s"),
                row.getString("code"),
                row.getString("literals"),
                row.getBoolean("elsewhere"),
                row.getString("database"),
                row.getString("on_error"));
    }

    private ForeignSchedule schedule(ResultSet row, List<Step> steps) throws SQLException {
        String job = row.getString("job");
        String name = row.getString("name").isBlank() ? job : job + " / " + row.getString("name");
        Boolean[] weekDays = truth(row, "weekdays");
        Boolean[] monthDays = truth(row, "monthdays");
        String problem = times(row, weekDays, monthDays);
        if (problem == null) problem = problem(steps);
        String host = row.getString("host");
        List<String> notes = new ArrayList<>();
        if (!host.isEmpty()) notes.add("there it is bound to the agent of host " + host);
        if (steps.size() > 1) notes.add(steps.size() + " steps, each a task that runs after the one before");
        else if (!steps.isEmpty() && !steps.get(0).onError().equals("f"))
            notes.add("an error of its step ends the task as FAIL");
        return new ForeignSchedule(
                row.getLong("jscid"),
                name,
                owner,
                PgAgentTimes.cron(
                        truth(row, "minutes"), truth(row, "hours"), monthDays, truth(row, "months"), weekDays),
                zone,
                problem == null ? sql(steps) : "",
                row.getBoolean("lies_ahead")
                        ? row.getObject("start", OffsetDateTime.class).toInstant()
                        : null,
                row.getBoolean("active"),
                notes.isEmpty() ? null : String.join("; ", notes),
                problem,
                "UPDATE pgagent.pga_schedule SET jscenabled = false WHERE jscid = " + row.getLong("jscid") + ";");
    }

    private static Boolean[] truth(ResultSet row, String column) throws SQLException {
        return (Boolean[]) row.getArray(column).getArray();
    }

    private static @Nullable String times(ResultSet row, Boolean[] weekDays, Boolean[] monthDays) throws SQLException {
        if (row.getBoolean("ended")) return "it ended at " + row.getString("ends");
        if (row.getString("ends") != null)
            return "it ends at " + row.getString("ends") + ", and schedules of tasks have no end";
        if (row.getString("exceptions") != null)
            return "it has exceptions, which schedules of tasks have not: " + row.getString("exceptions")
                    + "; schedules of jobs have calendars";
        if (!PgAgentTimes.isSaid(monthDays, weekDays))
            return "both the day of the month and the day of the week have to match, which a cron of Howdah says only"
                    + " where the 1st or the Sunday is among them";
        return null;
    }

    private @Nullable String problem(List<Step> steps) {
        if (steps.isEmpty()) return "none of the steps of its job is enabled";
        for (Step each : steps) {
            String step = "step \"" + each.name() + "\" ";
            if (!each.isSql())
                return step + "is a batch step, a script for a shell: allow a program for it, and add a task with"
                        + " remote = 'exec:NAME'";
            if (each.elsewhere())
                return step + "connects by a string of its own, which may have a password: add it by hand, with the"
                        + " server as remote";
            if (!each.database().equals(target))
                return step + "runs in database \"" + each.database()
                        + "\": import a job of steps that all run there with the --url of that one";
            if (steps.size() > 1 && !each.onError().equals("f"))
                return step + "goes on after an error; here a step runs only after those before have ended well";
        }
        return null;
    }

    /** One step is the task; of several each is a task of its own, as there each has a transaction of its own. */
    private String sql(List<Step> steps) {
        if (steps.size() == 1) return steps.get(0).code();
        StringBuilder sql = new StringBuilder("WITH ");
        for (int i = 0; i < steps.size(); i++) {
            if (i > 0) sql.append(",\n");
            sql.append("step_").append(i + 1).append(" AS (INSERT INTO ").append(table);
            sql.append(" (\"group\", data, input, delete")
                    .append(i > 0 ? ", after" : "")
                    .append(") SELECT ");
            sql.append(steps.get(i).values()).append(", false");
            if (i > 0) sql.append(", ARRAY[id] FROM step_").append(i);
            sql.append(" RETURNING id)");
        }
        return sql.append("\nSELECT id AS last FROM step_").append(steps.size()).toString();
    }
}
