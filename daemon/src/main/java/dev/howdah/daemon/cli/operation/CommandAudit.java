package dev.howdah.daemon.cli.operation;

import dev.howdah.console.internal.audit.AuditJson;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.operations.read.ReadException;
import dev.howdah.operations.store.AuditEntry;
import dev.howdah.operations.store.AuditStore;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes the changes of a command to the audit table, each in two rows: one before the change, one after it. Where the database has no
 * audit table, none is written. A role of the database may change what its privileges allow, with Howdah or without: where it may not
 * add rows to the audit table, the command says so and goes on.
 */
public final class CommandAudit {
    private final AuditStore store;
    private final AuditJson json;
    private final Terminal terminal;
    private boolean isTold;

    public CommandAudit(AuditStore store, AuditJson json, Terminal terminal) {
        this.store = store;
        this.json = json;
        this.terminal = terminal;
    }

    /** A change that was written down and has not ended. */
    public interface Change {
        /** Writes how it ended: done or failed, with a sentence. */
        void end(String outcome, String sentence);
    }

    /** The user of the machine that runs the command. */
    public static String user() {
        return "cli:" + System.getProperty("user.name", "unknown");
    }

    /**
     * Writes that a change begins.
     *
     * @param action such as {@code sweeps.pause}
     * @param object such as {@code sweeps/invoices}; null: none
     * @param sent the values of its parameters by name
     * @throws ReadException if the database cannot be reached
     */
    public Change begin(String action, @Nullable String object, Map<String, String> sent) {
        AuditEntry entry = new AuditEntry(
                user(),
                null,
                "cli",
                null,
                action,
                object == null ? null : json.text(object),
                null,
                sent.isEmpty() ? null : Json.line(json.masked(sent)));
        long begun = 0;
        try {
            begun = store.addIfKept(entry, "begun");
        } catch (ReadException e) {
            if (e.getCause() instanceof SQLException cause
                    && (SqlErrors.isConnectionLost(cause) || SqlErrors.isOutOfResources(cause))) throw e;
            tell(e);
        }
        long id = begun;
        return (outcome, sentence) -> end(id, outcome, sentence);
    }

    private void end(long begun, String outcome, String sentence) {
        if (begun == 0) return;
        try {
            store.end(begun, outcome, json.text(sentence), null);
        } catch (ReadException e) {
            tell(e);
        }
    }

    private void tell(ReadException e) {
        if (!isTold) terminal.err().println("howdah: this change is not in the audit table: " + e.getMessage());
        isTold = true;
    }
}
