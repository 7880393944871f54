package dev.howdah.reach.internal.call;

import dev.howdah.reach.internal.call.ReachFailure.Code;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Places that tasks may reach, each with the owners of such tasks: {@code SCHEME://HOST[:PORT][/PATH][=OWNER,OWNER]}, {@code
 * exec:NAME} or {@code jdbc:NAME}. Immutable.
 */
public final class ReachPlaces {
    /** The form, in words. */
    public static final String FORM =
            "https://HOST, http://HOST, smtp://HOST, smtps://HOST, ssh://HOST or sftp://HOST, with :PORT, /PATH or"
                    + " /PATH/* and =OWNER,OWNER where needed, or exec:NAME or jdbc:NAME, with =OWNER,OWNER";

    private static final Pattern ADDRESS = Pattern.compile(
            "(?i:(https?|smtps?|ssh|sftp))://(\\[[0-9A-Fa-f:.]+]|\\*|(?:\\*\\.)?[A-Za-z0-9_.-]+)(?::(\\d{1,5}|\\*))?"
                    + "(/[^\\s=?#]*)?(?:=(\\S+))?");
    /** How often a server may decode a path in earnest. */
    private static final int MOST_STAGES = 5;

    /** Parts of a path that one side may take for another path than the other. */
    private static final Pattern AMBIGUOUS = Pattern.compile("/\\.{1,2}(/|$)|\\\\|;|//|\\p{Cntrl}|[\\x{80}-\\x{9f}]");

    private static final Pattern ENCODED = Pattern.compile("%([0-9A-Fa-f]{2})");

    private static final Pattern NAMED = Pattern.compile("(?i:(exec|jdbc)):([a-z][a-z0-9_-]{0,62})(?:=(\\S+))?");

    /**
     * A place as an administrator reads it.
     *
     * @param owners in their order; empty for every owner
     */
    public record Entry(String place, List<String> owners) {}

    /**
     * @param port null for any
     * @param path null for any
     * @param owners empty for every owner
     */
    private record Place(
            String scheme,
            String host,
            @Nullable Integer port,
            @Nullable String path,
            Set<String> owners) {
        boolean has(String owner, Target target) {
            return scheme.equals(target.scheme())
                    && hasHost(target.host())
                    && (port == null || port == target.port())
                    && hasPath(target.path())
                    && (owners.isEmpty() || owners.contains(owner));
        }

        private boolean hasHost(String given) {
            if (host.equals("*")) return true;
            if (host.startsWith("*.")) return given.endsWith(host.substring(1)) && given.length() >= host.length();
            return host.equals(given);
        }

        Entry entry() {
            String name = host.contains(":") ? "[" + host + "]" : host;
            String text = scheme.equals("exec") || scheme.equals("jdbc")
                    ? scheme + ":" + host
                    : scheme + "://" + name + portText() + (path == null ? "" : path);
            return new Entry(text, owners.stream().sorted().toList());
        }

        private String portText() {
            if (port == null) return ":*";
            return port == Target.usualPort(scheme) ? "" : ":" + port;
        }

        private boolean hasPath(String given) {
            if (path == null) return true;
            // What is compared has to be what the other side reads.
            if (isAmbiguous(given)) return false;
            return path.endsWith("/*")
                    ? given.startsWith(path.substring(0, path.length() - 1))
                    : path.equals(given.isEmpty() ? "/" : given);
        }
    }

    private final List<Place> places;

    private ReachPlaces(List<Place> places) {
        this.places = List.copyOf(places);
    }

    /** Returns whether a text of a list begins with a scheme of these places. */
    public static boolean isMeant(String text) {
        return Target.hasScheme(text);
    }

    /**
     * Reads such a list.
     *
     * @throws IllegalArgumentException if something in it is no place
     */
    public static ReachPlaces of(List<String> list) {
        List<Place> places = new ArrayList<>();
        for (String each : list) places.add(place(each));
        return new ReachPlaces(places);
    }

    private static Place place(String text) {
        String wrong = "\"" + text.replaceFirst("//.*@", "//***@") + "\" has to be " + FORM;
        Matcher named = NAMED.matcher(text);
        if (named.matches())
            return new Place(
                    named.group(1).toLowerCase(Locale.ROOT), named.group(2), null, null, owners(named.group(3), wrong));
        Matcher form = ADDRESS.matcher(text);
        if (!form.matches()) throw new IllegalArgumentException(wrong);
        String scheme = form.group(1).toLowerCase(Locale.ROOT);
        String port = form.group(3);
        Integer number =
                port == null ? (Integer) Target.usualPort(scheme) : port.equals("*") ? null : Integer.valueOf(port);
        if (number != null && (number < 1 || number > 65_535)) throw new IllegalArgumentException(wrong);
        String host = form.group(2).toLowerCase(Locale.ROOT);
        if (host.startsWith("[")) host = literal(host, wrong);
        if (host.endsWith(".")) host = host.substring(0, host.length() - 1);
        String path = form.group(4);
        if (path != null && !scheme.startsWith("http") && !scheme.equals("sftp"))
            throw new IllegalArgumentException(wrong);
        return new Place(scheme, host, number, "/*".equals(path) ? null : path, owners(form.group(5), wrong));
    }

    private static String literal(String host, String wrong) {
        try {
            return AddressLiteral.canonical(host.substring(1, host.length() - 1));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(wrong, e);
        }
    }

    private static Set<String> owners(@Nullable String text, String wrong) {
        if (text == null) return Set.of();
        try {
            List<String> owners = Arrays.stream(text.split(",", -1))
                    .map(each -> URLDecoder.decode(each.replace("+", "%2B"), StandardCharsets.UTF_8))
                    .toList();
            if (owners.contains("")) throw new IllegalArgumentException(wrong);
            return Set.copyOf(owners);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(wrong, e);
        }
    }

    /** Returns whether tasks of that owner may go there. */
    public boolean has(String owner, Target target) {
        return places.stream().anyMatch(place -> place.has(owner, target));
    }

    /** All of them, in their order. */
    public List<Entry> entries() {
        return places.stream().map(Place::entry).toList();
    }

    /** The first by which tasks of that owner may go there; null if there is none. */
    @Nullable
    public Entry entry(String owner, Target target) {
        return places.stream()
                .filter(place -> place.has(owner, target))
                .findFirst()
                .map(Place::entry)
                .orElse(null);
    }

    /**
     * The paths below which all lies that tasks of that owner may reach at the host of the target; empty where one of the places has no path,
     * or names that very path.
     */
    public List<String> folders(String owner, Target target) {
        List<String> folders = new ArrayList<>();
        for (Place place : places) {
            if (!place.has(owner, target)) continue;
            if (place.path() == null || !place.path().endsWith("/*")) return List.of();
            folders.add(place.path().substring(0, place.path().length() - 2));
        }
        return List.copyOf(folders);
    }

    /** Returns whether one of them names the host of the target by that very address, so that it may be a private one. */
    public boolean hasLiterally(String owner, Target target) {
        return places.stream()
                .anyMatch(place ->
                        place.has(owner, target) && place.host().equals(target.host()) && isLiteral(place.host()));
    }

    private static boolean isLiteral(String host) {
        return host.contains(":") || host.matches("[0-9.]+");
    }

    /** Servers decode once, twice, or until nothing changes: each of these has to be the same path. */
    private static boolean isAmbiguous(String path) {
        String bytes = path;
        long slashes = slashes(path);
        for (int stage = 0; stage < MOST_STAGES; stage++) {
            if (slashes(bytes) != slashes || isAmbiguousText(bytes)) return true;
            String decoded = ENCODED.matcher(bytes)
                    .replaceAll(each ->
                            Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(each.group(1), 16))));
            if (decoded.equals(bytes)) return false;
            bytes = decoded;
        }
        return true;
    }

    private static long slashes(String path) {
        return path.chars().filter(each -> each == '/').count();
    }

    /** @param bytes each as the character of that number */
    private static boolean isAmbiguousText(String bytes) {
        // Strictly: some servers read a dot or a slash from longer sequences than UTF-8 has for them.
        String text = AnswerText.strictly(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
        return text == null || AMBIGUOUS.matcher(text).find();
    }

    /** What to add for tasks of that owner to go there. */
    static String line(String owner, Target target) {
        String name = owner.replace("%", "%25")
                .replace(",", "%2C")
                .replace(" ", "%20")
                .replace("=", "%3D");
        String place =
                new Target(target.scheme(), null, target.host(), target.port(), "", null, target.options()).toString();
        return "--allow '" + place + "=" + name + "'";
    }

    /** @throws ReachFailure if tasks of that owner may not go there, with what to add */
    public void check(String owner, Target target) throws ReachFailure {
        if (has(owner, target)) return;
        // No line of --allow is proposed for it: that would be one for every path.
        if (isAmbiguous(target.path()))
            throw ReachFailure.lasting(
                    Code.NOT_ALLOWED,
                    "role \"" + owner + "\" may not reach " + target
                            + ": its path has . or .. as a part, //, ;, a backslash or one of these encoded, a"
                            + " control character, or bytes that are not UTF-8");
        throw ReachFailure.lasting(
                Code.NOT_ALLOWED,
                "role \"" + owner + "\" may not reach " + target,
                null,
                "The administrator of the program can allow it: " + line(owner, target));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ReachPlaces o && places.equals(o.places);
    }

    @Override
    public int hashCode() {
        return places.hashCode();
    }
}
