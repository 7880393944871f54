package dev.howdah.daemon.cli.migrate;

import dev.howdah.Database;
import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.database.CommandTarget;
import dev.howdah.daemon.database.SqlFailure;
import dev.howdah.internal.schedule.ZoneNames;
import dev.howdah.internal.text.Identifiers;
import dev.howdah.task.TaskException;
import dev.howdah.task.TaskTable;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** {@code howdah import}: takes the work of other schedulers over. */
@Command(
        name = "import",
        description =
                "Take schedules of pg_cron or pgAgent over into schedules of tasks, executions of db-scheduler into jobs.",
        synopsisSubcommandLabel = "COMMAND")
public final class ImportCommands extends CommandGroup {
    private ImportCommands(Terminal terminal) {
        super(terminal);
    }

    public static CommandLine commandLine(Terminal terminal) {
        CommandLine line = new CommandLine(new ImportCommands(terminal));
        line.getSubcommands()
                .values()
                .forEach(sub -> ConfigurationOptions.add(
                        sub.getCommandSpec(),
                        Setting.DATA,
                        Setting.URL,
                        Setting.SCHEMA,
                        Setting.TABLE,
                        Setting.CONFIG));
        line.addSubcommand(DbSchedulerCommand.commandLine(terminal));
        return line;
    }

    /** What both commands take. */
    static final class Options {
        @Option(names = "--dry-run", description = "Only say what would be done.")
        private boolean dryRun;

        @Option(
                names = "--disable-source",
                description = "Disable there what was taken over; without it the SQL for that is printed.")
        private boolean disableSource;

        @Option(
                names = "--source",
                paramLabel = "URL",
                description = "The database in which the other scheduler keeps its jobs (default: that of --url).")
        private @Nullable String source;

        @Option(names = "--json", description = "Print a JSON object on a line for each.")
        private boolean json;
    }

    /** Reads what is to be taken over. */
    private interface Reading {
        List<ForeignSchedule> schedules(SourceDatabase source, CommandTarget target) throws SQLException;
    }

    @Command(name = "pg_cron", description = "Take over the jobs of the extension pg_cron.")
    int pgCron(
            @Mixin Options options,
            @Option(
                            names = "--zone",
                            paramLabel = "ZONE",
                            description = "The time zone of the schedules (default: cron.timezone, else UTC).")
                    @Nullable
                    String zone) {
        String given = zone == null ? null : zone(zone);
        return run(
                "pg_cron",
                options,
                "cron.job",
                "command_import_pg_cron_disable",
                (source, target) -> new PgCronSource(source, target.database().database(), given).schedules());
    }

    @Command(name = "pgagent", description = "Take over the schedules of pgAgent's jobs with steps of SQL.")
    int pgAgent(
            @Mixin Options options,
            @Option(
                            names = "--zone",
                            paramLabel = "ZONE",
                            required = true,
                            description = "The time zone of the sessions of pgAgent, in which its times are.")
                    String zone,
            @Option(
                            names = "--owner",
                            paramLabel = "ROLE",
                            description = "The owner of the tasks (default: the role that connects).")
                    @Nullable
                    String owner) {
        String given = zone(zone);
        return run(
                "pgagent",
                options,
                "pgagent.pga_job",
                "command_import_pgagent_disable",
                (source, target) -> new PgAgentSource(
                                source,
                                target.database().database(),
                                Identifiers.quote(target.schema(), target.table()),
                                given,
                                owner)
                        .schedules());
    }

    private static String zone(String zone) {
        try {
            ZoneNames.zone(zone);
            return zone;
        } catch (IllegalArgumentException e) {
            throw CliException.usage("--zone: " + e.getMessage());
        }
    }

    private int run(String extension, Options options, String table, String disable, Reading reading) {
        CommandSpec command = command(extension);
        CommandTarget target = CommandTarget.of(
                ConfigurationOptions.read(command, terminal()), terminal().environment());
        Database from = options.source == null
                ? target.database()
                : CommandTarget.database(options.source, terminal().environment(), "--source");
        try (SourceDatabase source = SourceDatabase.connect(from)) {
            String hidden = source.check(table, extension);
            if (hidden != null) terminal().err().println(hidden);
            List<ForeignSchedule> found = reading.schedules(source, target);
            return new ScheduleImport(
                            TaskTable.on(target.database(), target.schema(), target.table()),
                            target.database().user(),
                            options.dryRun,
                            options.disableSource ? id -> source.disable(disable, id) : null)
                    .run(found, terminal(), options.json);
        } catch (TaskException e) {
            throw SqlFailure.ofTasks(Objects.requireNonNull(e.getCause()), target);
        } catch (SQLException e) {
            throw SqlFailure.of(e, target);
        }
    }
}
