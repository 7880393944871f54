package dev.howdah.internal.schedule;

import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Time zones by the names that PostgreSQL uses. */
public final class ZoneNames {
    private static final Map<String, String> KNOWN = known();

    /** How PostgreSQL writes a zone that was set as an offset: the sign behind is that of POSIX, west of Greenwich. */
    private static final Pattern OFFSET = Pattern.compile("<[^>]*>([+-])(\\d{1,2})(?::?(\\d{2}))?");

    private ZoneNames() {}

    private static Map<String, String> known() {
        Map<String, String> names = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        ZoneId.getAvailableZoneIds().forEach(name -> names.put(name, name));
        // Names of the zone database that older versions of Java do not list.
        Map.of("EST", "-05:00", "MST", "-07:00", "HST", "-10:00").forEach(names::putIfAbsent);
        return names;
    }

    /**
     * The zone of that name; case does not matter.
     *
     * @throws IllegalArgumentException if there is none. Offsets such as {@code UTC+3} are refused on purpose: what is
     *     east for one reader is west for the other.
     */
    public static ZoneId zone(String name) {
        String plain = name.strip();
        if (plain.toLowerCase(Locale.ROOT).startsWith("posix/")) plain = plain.substring(6);
        String known = KNOWN.get(plain);
        if (known != null) return ZoneId.of(known);
        Matcher offset = OFFSET.matcher(plain);
        if (offset.matches()) {
            int minutes = Integer.parseInt(offset.group(2)) * 60
                    + (offset.group(3) == null ? 0 : Integer.parseInt(offset.group(3)));
            if (minutes <= 18 * 60)
                return ZoneOffset.ofTotalSeconds((offset.group(1).equals("-") ? minutes : -minutes) * 60);
        }
        throw new IllegalArgumentException(
                "there is no zone '" + name + "'; names such as Europe/Berlin, America/New_York or UTC are known");
    }
}
