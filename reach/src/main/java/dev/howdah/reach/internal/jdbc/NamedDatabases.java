package dev.howdah.reach.internal.jdbc;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import dev.howdah.reach.internal.child.SystemUser;
import dev.howdah.reach.internal.secret.JsonKeys;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The databases that tasks may use, by name. Immutable. */
public final class NamedDatabases {
    private static final Set<String> KEYS = Set.of("url", "properties", "user", "group", "concurrency");
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_-]{0,62}");
    private static final Pattern NETWORK = Pattern.compile(
            "jdbc:(mariadb|mysql|oracle:thin|sqlserver|jtds|postgresql|db2|clickhouse|h2:(tcp|ssl)|hsqldb:(hsqls?|https?)|derby:)[:/].*",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final Pattern SECRET = Pattern.compile(
            "(?is).*(password|passwd|pwd|secret|token)\\w*\\s*=.*|.*//[^/]*:[^/]*@.*|.*:[^:@/]+/[^:@/]+@.*");
    private static final int USUAL = 4;
    private static final int MOST = 64;

    /**
     * One of them.
     *
     * @param user whose rights the process with the driver has
     * @param concurrency how many tasks it does at once
     */
    record Database(String name, String url, Map<String, String> properties, SystemUser user, int concurrency) {
        /** Whether a backslash is an escape in its texts. */
        boolean hasBackslashes() {
            return url.regionMatches(true, 0, "jdbc:mariadb:", 0, 13)
                    || url.regionMatches(true, 0, "jdbc:mysql:", 0, 11);
        }
    }

    private final Map<String, Database> all;

    private NamedDatabases(Map<String, Database> all) {
        this.all = Map.copyOf(all);
    }

    /**
     * Reads what stands under {@code databases}.
     *
     * @throws IllegalArgumentException naming the database and what is wrong with it
     */
    public static NamedDatabases of(@Nullable JsonNode node) {
        Map<String, Database> all = new TreeMap<>();
        if (node == null) return new NamedDatabases(all);
        if (!node.isObject()) throw new IllegalArgumentException("\"databases\" has to be an object of JSON");
        Iterator<Map.Entry<String, JsonNode>> each = node.fields();
        while (each.hasNext()) {
            Map.Entry<String, JsonNode> one = each.next();
            try {
                all.put(one.getKey(), database(one.getKey(), one.getValue()));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("the database \"" + one.getKey() + "\": " + e.getMessage(), e);
            }
        }
        return new NamedDatabases(all);
    }

    private static Database database(String name, JsonNode node) {
        if (!NAME.matcher(name).matches())
            throw new IllegalArgumentException("its name has to be of small letters, digits, - and _");
        JsonKeys.only(node, KEYS);
        String url = JsonKeys.text(node, "url");
        if (url == null || !url.startsWith("jdbc:"))
            throw new IllegalArgumentException("\"url\" has to begin with jdbc: and be as its driver takes it");
        if (SECRET.matcher(url).matches())
            throw new IllegalArgumentException("\"url\" has a password in it: it belongs under \"credentials\"");
        boolean embedded = !NETWORK.matcher(url).matches();
        return new Database(
                name,
                url,
                properties(url, node.get("properties")),
                SystemUser.of(node, embedded),
                concurrency(node.get("concurrency"), embedded));
    }

    private static Map<String, String> properties(String url, @Nullable JsonNode node) {
        Map<String, String> all = new TreeMap<>();
        // By these a statement would read the files of the program's machine.
        for (String each : new String[] {"allowLocalInfile", "allowLoadLocalInfile", "allowUrlInLocalInfile"})
            if (url.matches("(?is)jdbc:(mariadb|mysql):.*") && !url.contains(each)) all.put(each, "false");
        if (node == null) return Map.copyOf(all);
        if (!node.isObject()) throw new IllegalArgumentException("\"properties\" has to be an object of JSON");
        node.fields().forEachRemaining(each -> {
            if (!each.getValue().isTextual())
                throw new IllegalArgumentException("the property \"" + each.getKey() + "\" has to be a text");
            if (each.getKey().toLowerCase(java.util.Locale.ROOT).contains("password"))
                throw new IllegalArgumentException(
                        "the property \"" + each.getKey() + "\" belongs under \"credentials\"");
            all.put(each.getKey(), each.getValue().asText());
        });
        return Map.copyOf(all);
    }

    /** Of a file of a database in the driver itself one process at a time has a lock. */
    private static int concurrency(@Nullable JsonNode node, boolean embedded) {
        if (node == null) return embedded ? 1 : USUAL;
        if (!node.isInt() || node.asInt() < 1 || node.asInt() > MOST)
            throw new IllegalArgumentException("\"concurrency\" has to be a number from 1 to " + MOST);
        return node.asInt();
    }

    /** In words, by name. */
    public Map<String, String> texts() {
        Map<String, String> texts = new TreeMap<>();
        all.forEach((name, each) ->
                texts.put(name, each.url() + ", user " + each.user().user() + ", " + each.concurrency() + " at once"));
        return texts;
    }

    /** The database of that name. */
    Database of(String name) throws ReachFailure {
        Database found = all.get(name);
        if (found != null) return found;
        throw ReachFailure.lasting(
                Code.PROGRAM,
                "there is no database " + name,
                null,
                "The administrator of the program can add it to the file of --reach: \"databases\": {\"" + name
                        + "\": {\"url\": \"jdbc:...\"}}");
    }
}
