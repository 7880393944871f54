package dev.howdah.daemon.cli.console;

import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.Installation;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.database.CommandTarget;
import dev.howdah.daemon.database.SessionSource;
import dev.howdah.daemon.database.SqlFailure;
import dev.howdah.health.DatabaseHealth;
import dev.howdah.operations.store.AuditEntry;
import dev.howdah.operations.store.AuditStore;
import dev.howdah.operations.store.TokenStore;
import java.sql.SQLException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** The tables of the console in the database that a command's settings name. */
final class ConsoleTarget {
    private final TokenStore tokens;
    private final AuditStore audit;
    private final DatabaseHealth health;
    private final CommandTarget target;

    private ConsoleTarget(TokenStore tokens, AuditStore audit, DatabaseHealth health, CommandTarget target) {
        this.tokens = tokens;
        this.audit = audit;
        this.health = health;
        this.target = target;
    }

    static ConsoleTarget of(CommandSpec command, Terminal terminal) {
        Configuration configuration = ConfigurationOptions.read(command, terminal);
        CommandTarget target = CommandTarget.of(configuration, terminal.environment());
        SessionSource source = new SessionSource(target.database());
        String schema = Installation.of(configuration).name();
        return new ConsoleTarget(
                new TokenStore(source, schema),
                new AuditStore(source, schema),
                DatabaseHealth.on(target.database()),
                target);
    }

    /** Something that is asked of the sessions of the server. */
    interface Question<T> {
        T of(DatabaseHealth health) throws SQLException;
    }

    /** @throws CliException that says what went wrong */
    <T> T sessions(Question<T> question) {
        try {
            return question.of(health);
        } catch (SQLException e) {
            throw SqlFailure.of(e, target);
        }
    }

    /** @throws CliException that says what went wrong */
    <T> T tokens(Function<TokenStore, T> work) {
        return failing(() -> work.apply(tokens));
    }

    /** @throws CliException that says what went wrong */
    <T> T audit(Function<AuditStore, T> work) {
        return failing(() -> work.apply(audit));
    }

    /**
     * Changes tokens, between two rows of the audit table.
     *
     * @param sent what is changed, as JSON; null: nothing more than the object
     * @throws CliException that says what went wrong
     */
    <T> T change(String action, String object, @Nullable String sent, Function<TokenStore, T> work) {
        long begun = audit(store ->
                store.add(new AuditEntry(user(), null, "cli", null, action, object, null, sent), "begun", null));
        try {
            T result = tokens(work);
            audit.end(begun, "done", null, null);
            return result;
        } catch (CliException e) {
            audit.end(begun, "failed", e.getMessage(), null);
            throw e;
        }
    }

    /** The user of the machine that runs the command. */
    static String user() {
        return "cli:" + System.getProperty("user.name", "unknown");
    }

    private interface Work<T> {
        T run();
    }

    private static <T> T failing(Work<T> work) {
        try {
            return work.run();
        } catch (IllegalArgumentException e) {
            throw CliException.failed(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            throw CliException.failed(String.valueOf(e.getMessage()), e);
        }
    }
}
