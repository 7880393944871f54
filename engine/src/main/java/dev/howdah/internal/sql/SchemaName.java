package dev.howdah.internal.sql;

import dev.howdah.internal.text.Sha256;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * The schema of an installation. The SQL files say {@code howdah}: in another schema each word of a statement that begins so begins with the
 * schema's name instead, which gives tables, functions, channels and settings of its own; and each class of advisory locks is another
 * number. What users do not see is in a second schema, {@code howdah_internal}, which becomes that name with the same ending. Names are restricted to those that need no quotes, since they come into SQL text, strings, function bodies and formats.
 *
 * <p>Safe for use by many threads.
 */
public final class SchemaName {
    /** Where tables are unless another schema is named. */
    public static final String DEFAULT = "howdah";

    private static final String INTERNAL_ENDING = "_internal";

    /** Where what users do not see is then. */
    public static final String INTERNAL = DEFAULT + INTERNAL_ENDING;

    private static final int LONGEST = 40;
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]*");
    /** The classes of advisory locks begin with these digits; none of them is outside of one block of 32. */
    private static final Pattern OWN = Pattern.compile("\\bhowdah|\\b12152648\\d\\d\\b");

    private static final int BLOCK = 32;
    private static final int FIRST_CLASS = 1_215_264_864;
    private static final int MOST_TEXTS = 2_000;

    /** Reserved words, and names that mean something else in a function or a trigger. */
    private static final Set<String> RESERVED = Set.of(
            ("all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate"
                            + " collation column concurrently constraint create cross current_catalog current_date"
                            + " current_role current_schema current_time current_timestamp current_user default"
                            + " deferrable desc distinct do else end except excluded false fetch for foreign freeze"
                            + " from full grant group having ilike in initially inner intersect into is isnull join"
                            + " lateral leading left like limit localtime localtimestamp natural new not notnull null"
                            + " offset old on only or order outer overlaps placing primary public references returning"
                            + " right select session_user similar some symmetric system_user table tablesample then"
                            + " to trailing true union unique user using variadic verbose when where window with"
                            + " information_schema")
                    .split(" "));

    private static final Map<String, SchemaName> ALL = new ConcurrentHashMap<>();
    private static final SchemaName HOWDAH = new SchemaName(DEFAULT, FIRST_CLASS);

    private final String name;
    private final int firstClass;
    private final Map<String, String> texts = new ConcurrentHashMap<>();

    private SchemaName(String name, int firstClass) {
        this.name = name;
        this.firstClass = firstClass;
    }

    /** The schema {@code howdah}. */
    public static SchemaName howdah() {
        return HOWDAH;
    }

    /**
     * The schema of that name, the same object each time.
     *
     * @throws IllegalArgumentException if an installation cannot have that name
     */
    public static SchemaName of(String name) {
        if (name.equals(DEFAULT)) return HOWDAH;
        if (!NAME.matcher(name).matches() || name.length() > LONGEST)
            throw new IllegalArgumentException("a schema for the tables is named by 1 to " + LONGEST
                    + " small letters, digits and underscores, a letter first; not \"" + shown(name) + "\"");
        if (name.startsWith("pg_")
                || name.startsWith(DEFAULT)
                || name.endsWith(INTERNAL_ENDING)
                || RESERVED.contains(name))
            throw new IllegalArgumentException("the schema of the tables cannot be named " + name + ": "
                    + (name.startsWith("pg_")
                            ? "names that begin with pg_ are PostgreSQL's own"
                            : name.startsWith(DEFAULT)
                                    ? "names that begin with howdah are those of the schema howdah"
                                    : name.endsWith(INTERNAL_ENDING)
                                            ? "what users do not see of an installation is in a schema whose name ends so"
                                            : "that name means something else in SQL"));
        return ALL.computeIfAbsent(name, each -> new SchemaName(each, firstClass(each)));
    }

    private static String shown(String name) {
        String visible = name.replaceAll("\\p{Cntrl}", "?");
        return visible.length() > LONGEST + 30 ? visible.substring(0, LONGEST + 30) + "..." : visible;
    }

    /** A block of classes by the hash of the name, one of 67 million, and never that of the schema howdah. */
    private static int firstClass(String name) {
        int slot = ByteBuffer.wrap(Sha256.of(name)).getInt() & 0x3ff_ffff;
        return (slot * BLOCK == FIRST_CLASS ? slot + 1 : slot) * BLOCK;
    }

    public boolean isHowdah() {
        return this == HOWDAH;
    }

    /** Its name, which needs no quotes. */
    public String name() {
        return name;
    }

    /** The schema of what users do not see of it, which needs no quotes either. */
    public String internal() {
        return name + INTERNAL_ENDING;
    }

    /** A statement of the library, as it is in this schema. */
    public String in(String sql) {
        if (isHowdah()) return sql;
        String known = texts.get(sql);
        if (known != null) return known;
        String made = OWN.matcher(sql).replaceAll(this::own);
        if (texts.size() < MOST_TEXTS) texts.put(sql, made);
        return made;
    }

    private String own(MatchResult word) {
        return word.group().equals(DEFAULT) ? name : Integer.toString(lockClass(Integer.parseInt(word.group())));
    }

    /** The number of a class of advisory locks in this schema. */
    public int lockClass(int inHowdah) {
        return inHowdah - FIRST_CLASS + firstClass;
    }

    /** The channel of a notification, as the library calls it. */
    public String channel(String heard) {
        return !isHowdah() && heard.startsWith(name + "_") ? DEFAULT + heard.substring(name.length()) : heard;
    }

    @Override
    public String toString() {
        return name;
    }
}
