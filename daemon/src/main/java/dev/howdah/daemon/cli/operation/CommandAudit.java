package dev.howdah.daemon.cli.operation;

import dev.howdah.console.internal.data.ReadException;
import dev.howdah.console.internal.store.AuditEntry;
import dev.howdah.console.internal.store.AuditStore;
import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.Installation;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.database.CommandTarget;
import dev.howdah.daemon.database.SessionSource;
import dev.howdah.daemon.database.SqlFailure;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.operations.Operation;
import dev.howdah.operations.OperationCall;
import java.sql.SQLException;
import java.util.Map;

/**
 * The rows of the audit table for one command: one before the change, one after it. Where the database has no audit table, none is
 * written. A role of the database may change what its privileges allow, with Howdah or without: where it may not add rows to the audit
 * table, the command says so and goes on.
 */
final class CommandAudit {
    private final AuditStore store;
    private final Terminal terminal;
    private final long begun;

    private CommandAudit(AuditStore store, Terminal terminal, long begun) {
        this.store = store;
        this.terminal = terminal;
        this.begun = begun;
    }

    /** Writes the row before the change. */
    static CommandAudit begin(
            Operation operation,
            OperationCall call,
            Configuration configuration,
            CommandTarget target,
            Terminal terminal) {
        AuditStore store = new AuditStore(
                new SessionSource(target.database()),
                Installation.of(configuration).name(),
                configuration.number(Setting.AUDIT_DAYS));
        Map<String, String> sent = call.values().texts();
        AuditEntry entry = new AuditEntry(
                user(),
                null,
                "cli",
                null,
                operation.audit(),
                operation.subject().object(call.key()),
                null,
                sent.isEmpty() ? null : Json.line(sent));
        try {
            return new CommandAudit(store, terminal, store.addIfKept(entry, "begun"));
        } catch (ReadException e) {
            if (e.getCause() instanceof SQLException cause
                    && (SqlErrors.isConnectionLost(cause) || SqlErrors.isOutOfResources(cause)))
                throw SqlFailure.of(cause, target);
            tell(terminal, e);
            return new CommandAudit(store, terminal, 0);
        }
    }

    /** The user of the machine that runs the command. */
    static String user() {
        return "cli:" + System.getProperty("user.name", "unknown");
    }

    private static void tell(Terminal terminal, RuntimeException e) {
        terminal.err().println("howdah: this change is not in the audit table: " + e.getMessage());
    }

    /** Writes how it ended. */
    void end(String outcome, String sentence) {
        if (begun == 0) return;
        try {
            store.end(begun, outcome, sentence, null);
        } catch (RuntimeException e) {
            tell(terminal, e);
        }
    }
}
