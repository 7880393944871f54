package dev.howdah.daemon.database;

import dev.howdah.daemon.console.CliException;
import dev.howdah.internal.connection.SchemaConnection;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.job.Jobs;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Set;

/** Errors of statements on the tables of jobs. */
public final class JobsFailure {
    private static final Set<String> NO_JOBS = Set.of("3F000", "42P01", "42883");

    private JobsFailure() {}

    /** What the failure of a statement means for a person: the tables may be missing, or older than this program. */
    public static CliException of(SQLException e, CommandTarget target, SchemaName schema) {
        String state = Objects.requireNonNullElse(e.getSQLState(), "");
        if (!NO_JOBS.contains(state)) return SqlFailure.of(e, target);
        int version = tablesVersion(target, schema);
        if (version == 0)
            return CliException.failed(
                    "there are no jobs in " + target.database().describe()
                            + ": a program that uses the library makes their tables, or \"howdah job install\"");
        if (version < Jobs.schemaVersion())
            return CliException.failed("the tables of jobs in "
                    + target.database().describe() + " have version " + version + ", and this program needs "
                    + Jobs.schemaVersion()
                    + ": a node of this version brings them up to date when it starts, or \"howdah job install\"");
        return SqlFailure.of(e, target);
    }

    /** 0: there are none, or this role cannot know. */
    private static int tablesVersion(CommandTarget target, SchemaName schema) {
        try (Connection connection = SchemaConnection.of(target.database().connect(), schema);
                PreparedStatement statement =
                        DaemonSql.JOBS.statement("command_job_tables").prepare(connection);
                ResultSet rows = statement.executeQuery()) {
            return rows.next() ? rows.getInt(1) : 0;
        } catch (SQLException e) {
            return 0;
        }
    }
}
