package dev.howdah.task.internal.session;

import dev.howdah.task.internal.store.TableName;
import java.util.HashMap;
import java.util.Map;

/** The startup parameters of sessions. */
public record StartupParameters(TableName table, long oid, boolean noticesLostClients) {
    String application() {
        return "pg_task " + table.schema() + " " + table.table() + " ";
    }

    Map<String, String> local() {
        StringBuilder options = new StringBuilder(settings());
        // A server that notices that its client is gone ends what runs for it.
        if (noticesLostClients) options.append(" -c client_connection_check_interval=2s -c idle_session_timeout=0");
        return startup(options.toString());
    }

    Map<String, String> remote() {
        return startup(settings());
    }

    private Map<String, String> startup(String options) {
        Map<String, String> startup = new HashMap<>();
        startup.put("application_name", application().strip());
        startup.put("client_encoding", "UTF8");
        startup.put("options", options);
        return startup;
    }

    private String settings() {
        return "-c pg_task.schema=" + escaped(table.schema()) + " -c pg_task.table=" + escaped(table.table())
                + " -c pg_task.oid=" + oid;
    }

    /** For use in the options of a session. */
    public static String escaped(String value) {
        return value.replace("\\", "\\\\").replace(" ", "\\ ");
    }
}
