package dev.howdah.daemon.cli.task;

import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.console.Times;
import dev.howdah.daemon.database.CommandTarget;
import dev.howdah.daemon.database.DaemonSql;
import dev.howdah.daemon.database.SqlFailure;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Times that were given to a command.
 *
 * @param from null: not given
 * @param until null: not given
 */
record TaskTimes(@Nullable Instant from, @Nullable Instant until) {
    /** Reads them as PostgreSQL does: {@code yesterday 20:00}. */
    static TaskTimes read(CommandSpec command, Terminal terminal, @Nullable String from, @Nullable String until) {
        if (from == null && until == null) return new TaskTimes(null, null);
        CommandTarget target = CommandTarget.of(ConfigurationOptions.read(command, terminal), terminal.environment());
        try (Connection connection = target.database().connect();
                PreparedStatement statement =
                        DaemonSql.JOBS.statement("command_times").prepare(connection, from, until, null);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return new TaskTimes(
                    from == null ? null : Times.instant(row, 1), until == null ? null : Times.instant(row, 2));
        } catch (SQLException e) {
            throw SqlFailure.of(e, target);
        }
    }
}
