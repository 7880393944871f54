package dev.howdah.internal.conninfo;

import dev.howdah.DatabaseAddressException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.Optional;

/** Finds out all that was said about a connection: by its text, its service and the environment. */
public final class Conninfo {
    private static final Map<String, String> ENVIRONMENT = Map.ofEntries(
            Map.entry("PGHOST", "host"),
            Map.entry("PGHOSTADDR", "hostaddr"),
            Map.entry("PGPORT", "port"),
            Map.entry("PGUSER", "user"),
            Map.entry("PGDATABASE", "dbname"),
            Map.entry("PGPASSWORD", "password"),
            Map.entry("PGPASSFILE", "passfile"),
            Map.entry("PGSSLMODE", "sslmode"),
            Map.entry("PGSSLROOTCERT", "sslrootcert"),
            Map.entry("PGSSLCERT", "sslcert"),
            Map.entry("PGSSLKEY", "sslkey"),
            Map.entry("PGCHANNELBINDING", "channel_binding"),
            Map.entry("PGCONNECT_TIMEOUT", "connect_timeout"),
            Map.entry("PGOPTIONS", "options"),
            Map.entry("PGAPPNAME", "application_name"),
            Map.entry("PGTARGETSESSIONATTRS", "target_session_attrs"),
            Map.entry("PGLOADBALANCEHOSTS", "load_balance_hosts"));

    private Conninfo() {}

    /**
     * The words of that text and whatever they leave open and service or environment say, checked one by one.
     *
     * @throws DatabaseAddressException if the text cannot be read, or names options or values that do not exist
     */
    public static Map<String, String> resolve(String text, Map<String, String> environment) {
        Map<String, String> words = new LinkedHashMap<>();
        parse(text).forEach(word -> put(words, word.getKey(), word.getValue()));
        String service = words.getOrDefault("service", environment.getOrDefault("PGSERVICE", ""));
        if (!service.isEmpty()) service(service, words, environment).forEach((k, v) -> putIfAbsent(words, k, v));
        words.remove("service");
        words.remove("servicefile");
        ENVIRONMENT.entrySet().stream().sorted(Entry.comparingByValue()).forEach(entry -> {
            String value = environment.get(entry.getKey());
            if (value != null) putIfAbsent(words, entry.getValue(), value);
        });
        return Collections.unmodifiableMap(words);
    }

    /**
     * The words of that text, and nothing else: the author of the text must not get what belongs to this process.
     *
     * @throws DatabaseAddressException as {@link #resolve}, or if the text names a file, or a service, which stands in one
     */
    public static Map<String, String> resolveAlone(String text) {
        Map<String, String> words = new LinkedHashMap<>();
        parse(text).forEach(word -> put(words, word.getKey(), word.getValue()));
        for (String word : Keyword.FILES)
            if (!words.getOrDefault(word, "").isEmpty())
                throw new DatabaseAddressException("connection option \"" + word
                        + "\" stands for files of the scheduler's machine, which are not for others");
        words.keySet().removeAll(Keyword.FILES);
        words.put("sslcertmode", "disable");
        return Collections.unmodifiableMap(words);
    }

    /** Where the environment says the user is at home. */
    public static Path home(Map<String, String> environment) {
        String home = environment.getOrDefault("HOME", "");
        return Path.of(home.isEmpty() ? System.getProperty("user.home", "") : home);
    }

    /** The text for use in a URI. */
    public static String percentEncode(String text) {
        return ConninfoUri.encode(text);
    }

    private static List<Entry<String, String>> parse(String text) {
        if (JdbcUrl.isJdbc(text)) return JdbcUrl.parse(text);
        if (ConninfoUri.isUri(text)) return ConninfoUri.parse(text);
        List<Entry<String, String>> words = new ArrayList<>();
        boolean expanded = false;
        for (Entry<String, String> word : ConninfoWords.parse(text)) {
            boolean first = word.getKey().equals("dbname")
                    && !expanded
                    && !word.getValue().isEmpty();
            expanded |= first;
            if (first && ConninfoUri.isUri(word.getValue())) words.addAll(ConninfoUri.parse(word.getValue()));
            else if (first && word.getValue().indexOf('=') >= 0) words.addAll(ConninfoWords.parse(word.getValue()));
            else words.add(word);
        }
        return words;
    }

    private static void put(Map<String, String> words, String keyword, String value) {
        if (!keyword.startsWith(JdbcUrl.PREFIX)) Keyword.check(keyword, value);
        words.put(keyword, value);
    }

    private static void putIfAbsent(Map<String, String> words, String keyword, String value) {
        if (!words.containsKey(keyword)) put(words, keyword, value);
    }

    private static Map<String, String> service(
            String name, Map<String, String> words, Map<String, String> environment) {
        String given = words.getOrDefault("servicefile", environment.getOrDefault("PGSERVICEFILE", ""));
        ServiceFile own =
                new ServiceFile(given.isEmpty() ? home(environment).resolve(".pg_service.conf") : Path.of(given));
        if (!given.isEmpty() && !own.exists())
            throw new DatabaseAddressException("service file \"" + given + "\" not found");
        Optional<Map<String, String>> found = own.exists() ? own.service(name) : Optional.empty();
        String directory = environment.getOrDefault("PGSYSCONFDIR", "");
        if (found.isEmpty() && !directory.isEmpty()) {
            ServiceFile common = new ServiceFile(Path.of(directory, "pg_service.conf"));
            if (common.exists()) found = common.service(name);
        }
        return found.orElseThrow(
                () -> new DatabaseAddressException("definition of service \"" + name + "\" not found"));
    }
}
