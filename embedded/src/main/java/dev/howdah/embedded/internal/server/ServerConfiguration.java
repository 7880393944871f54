package dev.howdah.embedded.internal.server;

import dev.howdah.embedded.internal.system.DirectoryLayout;
import dev.howdah.embedded.internal.system.ServerUser;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The server's settings. Howdah's defaults lie in a file that postgresql.conf includes, so that postgresql.conf, ALTER
 * SYSTEM and the caller, in this order, override them; what Howdah relies on goes on the command line.
 */
public final class ServerConfiguration {
    static final String DEFAULTS = "howdah.conf";
    private static final String ACCESS = "howdah_hba.conf";

    private ServerConfiguration() {}

    /** Writes the files that lie in the data directory. */
    static void write(DirectoryLayout layout, ServerUser user, boolean passwordRequired) throws IOException {
        String method = passwordRequired ? "scram-sha-256" : "trust";
        user.write(layout.data(), DEFAULTS, """
                max_connections = 200
                shared_buffers = 128MB
                log_line_prefix = '%m [%p] '
                log_checkpoints = off
                """, false);
        user.write(layout.data(), ACCESS, """
                local all all METHOD
                host all all 127.0.0.1/32 METHOD
                host all all ::1/128 METHOD
                local replication all METHOD
                host replication all 127.0.0.1/32 METHOD
                host replication all ::1/128 METHOD
                """.replace("METHOD", method), false);
    }

    /** The settings for the command line, the caller's last and strongest. */
    static Map<String, String> commandLine(
            DirectoryLayout layout, ServerUser user, int port, boolean durable, Map<String, String> wanted) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("listen_addresses", "127.0.0.1");
        settings.put("port", Integer.toString(port));
        settings.put("unix_socket_directories", layout.socketDirectories(user));
        settings.put("hba_file", user.path(layout.data()) + "/" + ACCESS);
        settings.put("password_encryption", "scram-sha-256");
        settings.put("logging_collector", "off");
        settings.put("log_destination", "stderr");
        settings.put("lc_messages", "C");
        settings.put("fsync", onOff(durable));
        settings.put("full_page_writes", onOff(durable));
        if (!durable) {
            settings.put("synchronous_commit", "off");
        }
        settings.putAll(wanted);
        settings.computeIfPresent("listen_addresses", (name, addresses) -> withLoopback(addresses));
        return settings;
    }

    /** Howdah itself always comes by the loopback address, whatever else is listened on. */
    private static String withLoopback(String addresses) {
        boolean there = Pattern.compile("\\s*,\\s*")
                .splitAsStream(addresses.strip())
                .anyMatch(Set.of("*", "0.0.0.0", FreePorts.HOST, "localhost")::contains);
        return there ? addresses : addresses.isBlank() ? FreePorts.HOST : FreePorts.HOST + "," + addresses;
    }

    private static String onOff(boolean on) {
        return on ? "on" : "off";
    }
}
