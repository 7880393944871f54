package dev.howdah.internal.conninfo;

import dev.howdah.DatabaseAddressException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import org.postgresql.PGProperty;

/**
 * A URL of pgjdbc as words of libpq. Properties that libpq has no word for keep their name under
 * {@link #PREFIX}: they are handed to pgjdbc as they are.
 */
public final class JdbcUrl {
    /** What the names of pgjdbc's own properties begin with among libpq's words. */
    public static final String PREFIX = "jdbc.";

    private static final String SCHEME = "jdbc:postgresql:";
    private static final Map<String, String> KEYWORDS = Map.ofEntries(
            Map.entry("ApplicationName", "application_name"),
            Map.entry("channelBinding", "channel_binding"),
            Map.entry("connectTimeout", "connect_timeout"),
            Map.entry("loginTimeout", "connect_timeout"),
            Map.entry("options", "options"),
            Map.entry("password", "password"),
            Map.entry("service", "service"),
            Map.entry("sslcert", "sslcert"),
            Map.entry("sslkey", "sslkey"),
            Map.entry("sslmode", "sslmode"),
            Map.entry("sslpassword", "sslpassword"),
            Map.entry("sslrootcert", "sslrootcert"),
            Map.entry("user", "user"));
    private static final Map<String, String> SERVER_TYPES = Map.of(
            "any", "any",
            "primary", "primary",
            "master", "primary",
            "secondary", "standby",
            "slave", "standby",
            "preferSecondary", "prefer-standby",
            "preferSlave", "prefer-standby");

    private JdbcUrl() {}

    static boolean isJdbc(String text) {
        return text.startsWith("jdbc:");
    }

    static List<Entry<String, String>> parse(String text) {
        if (!text.startsWith(SCHEME))
            throw new DatabaseAddressException("not a JDBC URL of PostgreSQL: it does not begin with " + SCHEME);
        int query = text.indexOf('?');
        String place = query < 0 ? text.substring(SCHEME.length()) : text.substring(SCHEME.length(), query);
        if (place.indexOf('@') >= 0)
            throw new DatabaseAddressException(
                    "a JDBC URL has no user name before an \"@\": use ?user=...&password=...");
        List<Entry<String, String>> words = new ArrayList<>();
        if (place.startsWith("//")) words.addAll(ConninfoUri.parse("postgresql:" + place));
        else if (!place.isEmpty() && !place.equals("/"))
            words.add(Map.entry("dbname", ConninfoUri.decode("\"dbname\"", place)));
        if (query >= 0) for (String pair : text.substring(query + 1).split("&")) property(pair, words);
        return words;
    }

    private static void property(String pair, List<Entry<String, String>> words) {
        if (pair.isEmpty()) return;
        int equals = pair.indexOf('=');
        String name = equals < 0 ? pair : pair.substring(0, equals);
        String raw = equals < 0 ? "" : pair.substring(equals + 1);
        String value = ConninfoUri.decode("\"" + name + "\"", raw.replace('+', ' '));
        boolean known = KEYWORDS.containsKey(name) || name.equals("ssl") || PGProperty.forName(name) != null;
        if ((equals < 0 || !known) && ConninfoUri.endsWithSecret(words)) throw ConninfoUri.brokenSecret();
        String keyword = KEYWORDS.get(name);
        if (keyword != null) words.add(Map.entry(keyword, value));
        else if (name.equals("ssl")) ssl(value, words);
        else if (name.equals("targetServerType")) words.add(Map.entry("target_session_attrs", serverType(value)));
        else if (name.equals("tcpKeepAlive")) words.add(Map.entry("keepalives", value.equals("false") ? "0" : "1"));
        else if (name.equals("loadBalanceHosts"))
            words.add(Map.entry("load_balance_hosts", value.equals("true") ? "random" : "disable"));
        else if (name.equals("currentSchema"))
            words.add(Map.entry(
                    "options", "-c search_path=" + value.replace("\\", "\\\\").replace(" ", "\\ ")));
        else if (PGProperty.forName(name) != null) words.add(Map.entry(PREFIX + name, value));
        else throw new DatabaseAddressException("pgjdbc has no property \"" + name + "\"");
    }

    /** In pgjdbc, {@code ssl=true} alone asks for the host's name to be verified too. */
    private static void ssl(String value, List<Entry<String, String>> words) {
        boolean modeGiven = words.stream().anyMatch(w -> w.getKey().equals("sslmode"));
        if (!modeGiven && !value.equals("false")) words.add(Map.entry("sslmode", "verify-full"));
    }

    private static String serverType(String value) {
        String attrs = SERVER_TYPES.get(value);
        if (attrs == null)
            throw new DatabaseAddressException("targetServerType=" + value + " is not supported (one of "
                    + SERVER_TYPES.keySet().stream().sorted().toList() + " wanted)");
        return attrs;
    }
}
