package dev.howdah.internal.sql;

import dev.howdah.internal.text.Identifiers;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The statements of one {@code .sql} resource, by name. Immutable and safe for use by many threads.
 *
 * @see dev.howdah.internal.sql package description for the form of a file
 */
public final class SqlFile {
    private static final Pattern HEADING =
            Pattern.compile("^-- name: *([^\\s(]+)(?:\\(([\\w, ]+)\\))? *$", Pattern.MULTILINE);
    private static final Pattern NAMED =
            Pattern.compile("/\\*(\\w+)\\*/[\\w.]+|/\\*(\\w+):\\*/.*?/\\*:\\2\\*/", Pattern.DOTALL);

    /** In the place of this each file asks whether everything of Howdah in the database is paused. */
    private static final String PAUSED = "/*paused:*/false/*:paused*/";

    private static final class Paused {
        static final String CONDITION = "(" + of(SqlFile.class, "paused.sql").text("pause_is_set") + ")";
    }

    private final String resource;
    private final Supplier<Map<String, Entry>> content;

    /** Read when it is asked for: most programs use few of the files that their classes name. */
    private volatile @Nullable Map<String, Entry> statements;

    /** A statement, whose parameters are read when it is first used. */
    private static final class Entry {
        private final String where;
        private final Supplier<NamedParameters> reading;
        private volatile @Nullable NamedParameters read;

        private Entry(String where, Supplier<NamedParameters> reading) {
            this.where = where;
            this.reading = reading;
        }

        /**
         * @param text as it stands in the file
         * @param order of its parameters, as the heading says
         */
        static Entry of(String where, String text, @Nullable String order) {
            List<String> names =
                    order == null ? List.of() : List.of(order.strip().split(" *, *"));
            return new Entry(where, () -> NamedParameters.in(where, text, names));
        }

        String where() {
            return where;
        }

        NamedParameters named() {
            NamedParameters known = read;
            if (known != null) return known;
            NamedParameters made = reading.get();
            read = made;
            return made;
        }

        Entry with(Map<String, String> identifiers) {
            return new Entry(where, () -> {
                NamedParameters named = named();
                String replaced = NAMED.matcher(named.text())
                        .replaceAll(m -> Matcher.quoteReplacement(
                                identifiers.getOrDefault(m.group(1) == null ? m.group(2) : m.group(1), m.group())));
                return new NamedParameters(replaced, named.names(), named.isOrdered());
            });
        }
    }

    /** What statements of a file share, with {@code =} where it stands. */
    private static final Pattern SHARED = Pattern.compile("/\\*(=?)(\\w+):\\*/(.*?)/\\*:\\2\\*/", Pattern.DOTALL);

    private SqlFile(String resource, Supplier<Map<String, Entry>> content) {
        this.resource = resource;
        this.content = content;
    }

    private Map<String, Entry> statements() {
        Map<String, Entry> known = statements;
        if (known != null) return known;
        Map<String, Entry> made = content.get();
        statements = made;
        return made;
    }

    /** The file {@code name} that lies beside the class {@code owner}. */
    public static SqlFile of(Class<?> owner, String name) {
        return new SqlFile(name, () -> entries(name, read(owner, name)));
    }

    /** The text of the resource {@code name} that lies beside the class {@code owner}. */
    static String read(Class<?> owner, String name) {
        try (InputStream in = owner.getResourceAsStream(name)) {
            if (in == null) throw new IllegalArgumentException("no resource " + name + " beside " + owner.getName());
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return text.contains(PAUSED) ? text.replace(PAUSED, Paused.CONDITION) : text;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The text of a file with what its statements share in each of them. */
    public static String whole(String text) {
        Map<String, String> parts = new LinkedHashMap<>();
        Matcher part = SHARED.matcher(text);
        for (int from = 0; part.find(from); from = part.start(3))
            if (!part.group(1).isEmpty()) parts.put(part.group(2), part.group(3).strip());
        return parts.isEmpty() ? text : whole(text, parts);
    }

    private static String whole(String text, Map<String, String> parts) {
        return SHARED.matcher(text).replaceAll(m -> {
            String part = parts.get(m.group(2));
            return Matcher.quoteReplacement(part == null ? m.group() : whole(part, parts));
        });
    }

    static SqlFile parse(String resource, String file) {
        return new SqlFile(resource, () -> entries(resource, file));
    }

    private static Map<String, Entry> entries(String resource, String file) {
        String text = whole(file);
        Map<String, Entry> found = new LinkedHashMap<>();
        Matcher heading = HEADING.matcher(text);
        String name = null;
        String order = null;
        int from = 0;
        while (heading.find()) {
            // It would never be run, without a sign of it.
            if (name == null && isMoreThanComments(text.substring(0, heading.start())))
                throw new IllegalArgumentException(resource + " has a statement before the first -- name:");
            if (name != null) found.put(name, entry(resource, name, text.substring(from, heading.start()), order));
            name = heading.group(1);
            order = heading.group(2);
            from = heading.end();
            if (found.containsKey(name))
                throw new IllegalArgumentException(resource + " has two statements named " + name);
        }
        if (name != null) found.put(name, entry(resource, name, text.substring(from), order));
        return found;
    }

    private static Entry entry(String resource, String name, String text, @Nullable String order) {
        return Entry.of(name + " in " + resource, text, order);
    }

    private static boolean isMoreThanComments(String text) {
        return text.lines().anyMatch(line -> !line.isBlank() && !line.startsWith("--"));
    }

    /** The names of all statements, in the order of the file. */
    public Set<String> names() {
        return statements().keySet();
    }

    /**
     * This file with run-time names put in: after each comment {@code /*key*}{@code /} the name that follows, with its schema if it has one, is
     * replaced by the key's value, which has to be quoted already (see {@link Identifiers}); and what stands between {@code /*key:*}{@code /} and
     * {@code /*:key*}{@code /} is replaced by the key's value, any SQL. Keys that are not given stay as they are in the file.
     */
    public SqlFile with(Map<String, String> identifiers) {
        Map<String, String> values = Map.copyOf(identifiers);
        return new SqlFile(resource, () -> {
            Map<String, Entry> replaced = new LinkedHashMap<>();
            statements().forEach((name, entry) -> replaced.put(name, entry.with(values)));
            return replaced;
        });
    }

    /**
     * The statement of that name without its comments, with {@code $1}, {@code $2}, ... in place of the names of parameters: in the order
     * of the heading, else in the order in which the text has them.
     */
    public String text(String name) {
        return entry(name).named().text();
    }

    private Entry entry(String name) {
        Entry entry = statements().get(name);
        if (entry == null)
            throw new IllegalArgumentException(resource + " has no statement " + name + ", only " + names());
        return entry;
    }

    /** The statement of that name, ready for JDBC; its values are given in the order of its heading. */
    public Sql statement(String name) {
        Entry entry = entry(name);
        return Sql.of(entry::named, named -> {
            if (!named.isOrdered())
                throw new IllegalArgumentException(
                        entry.where() + " says the order of its parameters neither in its heading nor by a record");
            return null;
        });
    }

    /** The statement of that name, whose values are the components of a record of that type: {@code stepIds} for {@code :step_ids}. */
    public Sql statement(String name, Class<? extends Record> parameters) {
        Entry entry = entry(name);
        return Sql.of(entry::named, named -> RecordValues.of(entry.where(), named.names(), parameters));
    }
}
