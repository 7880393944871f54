package dev.howdah.internal.conninfo;

import dev.howdah.DatabaseAddressException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The connection options of libpq: which there are, which of them hold secrets, and how their values are checked. */
public final class Keyword {
    /** Options that no message may show the value of. */
    private static final Set<String> SECRET =
            Set.of("password", "sslpassword", "scram_client_key", "scram_server_key", "oauth_client_secret");

    /** Options that name files of this machine, or lead to such names. */
    static final List<String> FILES =
            List.of("service", "servicefile", "passfile", "sslcert", "sslkey", "sslpassword", "sslrootcert");

    /** Options with an effect here, or whose absence does no harm. */
    private static final Set<String> KNOWN = new TreeSet<>(List.of(
            "application_name",
            "channel_binding",
            "client_encoding",
            "connect_timeout",
            "dbname",
            "fallback_application_name",
            "gssdelegation",
            "gssencmode",
            "gsslib",
            "host",
            "hostaddr",
            "keepalives",
            "keepalives_count",
            "keepalives_idle",
            "keepalives_interval",
            "krbsrvname",
            "load_balance_hosts",
            "options",
            "passfile",
            "password",
            "port",
            "service",
            "servicefile",
            "sslcert",
            "sslcertmode",
            "sslcompression",
            "sslkey",
            "sslmode",
            "sslnegotiation",
            "sslpassword",
            "sslrootcert",
            "sslsni",
            "target_session_attrs",
            "tcp_user_timeout",
            "user"));

    /** Options of libpq that promise something which would be broken by passing over them. */
    private static final Set<String> REFUSED = Set.of(
            "max_protocol_version",
            "min_protocol_version",
            "oauth_client_id",
            "oauth_client_secret",
            "oauth_issuer",
            "oauth_scope",
            "replication",
            "require_auth",
            "requirepeer",
            "scram_client_key",
            "scram_server_key",
            "ssl_max_protocol_version",
            "ssl_min_protocol_version",
            "sslcrl",
            "sslcrldir",
            "sslkeylogfile");

    private static final Map<String, Set<String>> CHOICES = Map.of(
            "sslmode", Set.of("disable", "allow", "prefer", "require", "verify-ca", "verify-full"),
            "channel_binding", Set.of("disable", "prefer", "require"),
            "load_balance_hosts", Set.of("disable", "random"),
            "gssencmode", Set.of("disable", "prefer"),
            "sslnegotiation", Set.of("postgres"),
            "target_session_attrs", Set.of("any", "read-write", "read-only", "primary", "standby", "prefer-standby"));

    private static final Set<String> INTEGERS =
            Set.of("connect_timeout", "keepalives", "keepalives_count", "keepalives_idle", "keepalives_interval");

    private Keyword() {}

    /** Returns whether values of this option must not be shown. */
    public static boolean isSecret(String keyword) {
        return SECRET.contains(keyword);
    }

    /** @throws DatabaseAddressException unless there is such an option and it is supported */
    public static void checkName(String keyword) {
        if (KNOWN.contains(keyword)) return;
        if (REFUSED.contains(keyword))
            throw new DatabaseAddressException("connection option \"" + keyword + "\" is not supported by Howdah");
        String nearest = nearest(keyword);
        throw new DatabaseAddressException("invalid connection option \"" + keyword + "\""
                + (nearest == null ? "" : ": did you mean \"" + nearest + "\"?"));
    }

    static boolean isKnown(String keyword) {
        return KNOWN.contains(keyword) || REFUSED.contains(keyword);
    }

    /**
     * Checks name and value; an empty value stands for the default and is always right.
     *
     * @throws DatabaseAddressException if the option does not exist or cannot have this value
     */
    public static void check(String keyword, String value) {
        checkName(keyword);
        if (value.indexOf('\0') >= 0)
            throw new DatabaseAddressException("the value of connection option \"" + keyword + "\" contains a NUL");
        if (value.isEmpty()) return;
        Set<String> choices = CHOICES.get(keyword);
        if (choices != null && !choices.contains(value))
            throw new DatabaseAddressException(
                    "invalid " + keyword + " value: \"" + value + "\" (one of " + new TreeSet<>(choices) + " wanted)");
        if (INTEGERS.contains(keyword)) integer(keyword, value);
        if (keyword.equals("port")) for (String port : value.split(",", -1)) port(port);
    }

    static int integer(String keyword, String value) {
        try {
            return Integer.parseInt(value.strip());
        } catch (NumberFormatException e) {
            throw new DatabaseAddressException(
                    "invalid integer value \"" + value + "\" for connection option \"" + keyword + "\"");
        }
    }

    /** The number in one entry of the option {@code port}; an empty entry is 5432. */
    public static int port(String value) {
        if (value.isBlank()) return 5432;
        int port = integer("port", value);
        if (port < 1 || port > 65535)
            throw new DatabaseAddressException("invalid port number: \"" + value + "\" (1 to 65535 wanted)");
        return port;
    }

    private static @Nullable String nearest(String keyword) {
        String best = null;
        int bestDistance = Math.max(2, keyword.length() / 3) + 1;
        for (String known : KNOWN) {
            int distance = distance(keyword, known);
            if (distance < bestDistance) {
                best = known;
                bestDistance = distance;
            }
        }
        return best;
    }

    /** Insertions, deletions and replacements between two words. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j < row.length; j++) row[j] = j;
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }
}
