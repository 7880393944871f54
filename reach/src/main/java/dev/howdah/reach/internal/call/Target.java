package dev.howdah.reach.internal.call;

import dev.howdah.reach.internal.call.ReachFailure.Code;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the {@code remote} of a task names: {@code SCHEME://USER@HOST:PORT/PATH} and options, or {@code exec:NAME} or {@code jdbc:NAME} and
 * options. For requests options follow a {@code #}, since {@code ?} is the other side's own; for all else a {@code ?}. Immutable.
 *
 * @param host in lower case, without brackets; the name of a program or database where there is none
 * @param port 0 where there is none
 * @param path as it is written; empty if there is none
 * @param query of a request, as it is written; null if there is none
 */
public record Target(
        String scheme,
        @Nullable String user,
        String host,
        int port,
        String path,
        @Nullable String query,
        Map<String, List<String>> options) {
    private static final int LONGEST = 2_000;
    private static final Map<String, Integer> PORTS =
            Map.of("https", 443, "http", 80, "smtp", 587, "smtps", 465, "ssh", 22, "sftp", 22);
    private static final Set<String> NAMED = Set.of("exec", "jdbc", "howdah");
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_-]{0,62}");
    private static final Pattern DNS_NAME = Pattern.compile(
            "(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?(\\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?)*");
    private static final String BYTE = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
    private static final Pattern IPV4 = Pattern.compile(BYTE + "(\\." + BYTE + "){3}");
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}|[\\x{80}-\\x{9f}\\x{2028}\\x{2029}]");
    private static final Pattern SECRETS = Pattern.compile(
            "password|passwd|pwd|access_token|api_?key|client_secret|token|secret", Pattern.CASE_INSENSITIVE);

    /** Returns whether a text names a target of one of the schemes; all else is the address of a PostgreSQL. */
    public static boolean hasScheme(String remote) {
        int colon = remote.indexOf(':');
        if (colon < 0 || colon > 6) return false;
        String scheme = remote.substring(0, colon).toLowerCase(Locale.ROOT);
        // The driver's own form of an address of a PostgreSQL.
        if (remote.regionMatches(true, 0, "jdbc:postgresql:", 0, 16)) return false;
        return PORTS.containsKey(scheme) || NAMED.contains(scheme);
    }

    /** All of them, in the order of the documents. */
    public static List<String> schemes() {
        return List.of("https", "http", "smtp", "smtps", "ssh", "sftp", "jdbc", "exec", "howdah");
    }

    /** The port of that scheme where none is given. */
    public static int usualPort(String scheme) {
        return PORTS.getOrDefault(scheme, 0);
    }

    /**
     * Reads a remote that {@linkplain #hasScheme has a scheme}.
     *
     * @throws ReachFailure if it is none, without a secret that may be in it
     */
    public static Target of(String remote) throws ReachFailure {
        int colon = remote.indexOf(':');
        String scheme = remote.substring(0, colon).toLowerCase(Locale.ROOT);
        if (remote.length() > LONGEST) throw wrong(scheme, "it has more than " + LONGEST + " characters");
        if (!remote.matches("[\\x21-\\x7e]+"))
            throw wrong(scheme, "it has a blank, a control character or a letter beyond ASCII; write these with %");
        if (NAMED.contains(scheme)) return named(scheme, remote.substring(colon + 1));
        return address(scheme, remote);
    }

    private static Target named(String scheme, String rest) throws ReachFailure {
        int mark = rest.indexOf('?');
        String name = mark < 0 ? rest : rest.substring(0, mark);
        if (!NAME.matcher(name).matches())
            throw ReachFailure.lasting(
                    Code.ADDRESS,
                    "remote cannot be understood as " + scheme
                            + ": a name of small letters, digits, - and _ has to follow " + scheme + ":",
                    null,
                    scheme.equals("jdbc")
                            ? "The URL stands under \"databases\" in the file of --reach; here is its name there."
                            : null);
        return new Target(scheme, null, name, 0, "", null, options(scheme, mark < 0 ? null : rest.substring(mark + 1)));
    }

    private static Target address(String scheme, String remote) throws ReachFailure {
        URI uri;
        try {
            uri = new URI(remote);
        } catch (URISyntaxException e) {
            throw wrong(scheme, "it is no address: " + e.getReason());
        }
        boolean web = scheme.startsWith("http");
        boolean shell = scheme.equals("ssh") || scheme.equals("sftp");
        String authority = uri.getRawAuthority();
        int at = authority == null ? -1 : authority.lastIndexOf('@');
        String user = at < 0 || authority == null ? null : authority.substring(0, at);
        if (user != null && (user.contains(":") || user.toLowerCase(Locale.ROOT).contains("%3a") || !shell))
            throw credential(scheme, "a user or password stands before the @");
        if (user != null && !user.matches("[A-Za-z0-9_][A-Za-z0-9._-]{0,63}"))
            throw wrong(scheme, "the user before the @ has other characters than letters, digits, . _ and -");
        if (uri.getHost() == null) throw wrong(scheme, "a host has to follow " + scheme + "://");
        int port = uri.getPort() < 0 ? usualPort(scheme) : uri.getPort();
        if (port < 1 || port > 65_535) throw wrong(scheme, "a port is a number from 1 to 65535");
        String path = uri.getRawPath() == null ? "" : uri.getRawPath();
        if (!web && !scheme.equals("sftp") && !path.matches("/?")) throw wrong(scheme, "it takes no path");
        if (!web && uri.getRawFragment() != null) throw wrong(scheme, "options follow a ?, not a #");
        if (web && uri.getRawQuery() != null) refuseSecrets(scheme, uri.getRawQuery());
        return new Target(
                scheme,
                user,
                host(scheme, uri.getHost()),
                port,
                web || scheme.equals("sftp") ? path : "",
                web ? uri.getRawQuery() : null,
                options(scheme, web ? uri.getRawFragment() : uri.getRawQuery()));
    }

    /** Decimal, octal and hexadecimal forms of addresses are none here: they only serve to get past a list. */
    private static String host(String scheme, String given) throws ReachFailure {
        String host = given.toLowerCase(Locale.ROOT);
        if (host.startsWith("[")) {
            if (host.contains("%")) throw wrong(scheme, "an address takes no zone");
            try {
                return AddressLiteral.canonical(host.substring(1, host.length() - 1));
            } catch (IllegalArgumentException e) {
                throw wrong(scheme, "\"" + host + "\" is no address of IPv6");
            }
        }
        if (host.endsWith(".")) host = host.substring(0, host.length() - 1);
        String last = host.substring(host.lastIndexOf('.') + 1);
        boolean number = last.matches("[0-9]+|0x[0-9a-f]*");
        if (number ? !IPV4.matcher(host).matches() : !DNS_NAME.matcher(host).matches())
            throw wrong(scheme, "\"" + host + "\" is no name of a host, and no address of four numbers");
        return host;
    }

    private static Map<String, List<String>> options(String scheme, @Nullable String text) throws ReachFailure {
        Map<String, List<String>> options = new LinkedHashMap<>();
        if (text == null || text.isEmpty()) return options;
        refuseSecrets(scheme, text);
        for (String each : text.split("&", -1)) {
            int equals = each.indexOf('=');
            if (equals < 1) throw wrong(scheme, "an option is NAME=VALUE, with & between two of them");
            String name = decoded(scheme, each.substring(0, equals));
            List<String> values = options.computeIfAbsent(name, key -> new ArrayList<>());
            if (!values.isEmpty() && !name.equals("arg") && !name.equals("header"))
                throw wrong(scheme, "it has the option " + name + " twice");
            String value = decoded(scheme, each.substring(equals + 1));
            if (!name.equals("arg") && CONTROL.matcher(value).find())
                throw wrong(scheme, "its option " + name + " has a control character");
            values.add(value);
        }
        return options;
    }

    private static void refuseSecrets(String scheme, String text) throws ReachFailure {
        for (String each : text.split("[&;]", -1)) {
            String name = each.contains("=") ? each.substring(0, each.indexOf('=')) : "";
            if (SECRETS.matcher(decoded(scheme, name)).matches())
                throw credential(scheme, "it has a value named " + decoded(scheme, name));
        }
    }

    private static String decoded(String scheme, String text) throws ReachFailure {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw wrong(scheme, "a % has no two hexadecimal digits behind it");
        }
    }

    private static ReachFailure wrong(String scheme, String reason) {
        return ReachFailure.lasting(Code.ADDRESS, "remote cannot be understood as " + scheme + ": " + reason);
    }

    private static ReachFailure credential(String scheme, String where) {
        String option = scheme.startsWith("http") ? "#as=NAME" : "?as=NAME";
        return ReachFailure.lasting(
                Code.SECRET_IN_ROW,
                "remote must not contain a credential: " + where,
                null,
                "Give it a name under \"credentials\" in the file of --reach, and write " + option + " here.");
    }

    /** The same with another path, as it is written in an address. */
    public Target at(String otherPath) {
        return new Target(scheme, user, host, port, otherPath, query, options);
    }

    /** The values of an option that may be given several times. */
    public List<String> all(String name) {
        return options.getOrDefault(name, List.of());
    }

    /** The value of an option that is given once; null if it is not given. */
    @Nullable
    public String option(String name) {
        List<String> values = options.get(name);
        return values == null ? null : values.get(0);
    }

    /**
     * Refuses options that the scheme does not have.
     *
     * @param known with {@code as}, which all have
     */
    public void onlyOptions(String... known) throws ReachFailure {
        Set<String> all = new java.util.TreeSet<>(Set.of(known));
        all.add("as");
        for (String each : options.keySet())
            if (!all.contains(each))
                throw wrong(scheme, "there is no option " + each + ", but " + String.join(", ", all));
    }

    /** Its place: without user, query and options, which may hold what is not for all eyes. */
    @Override
    public String toString() {
        if (port == 0) return scheme + ":" + host;
        String shown = host.contains(":") ? "[" + host + "]" : host;
        return scheme + "://" + shown + (port == usualPort(scheme) ? "" : ":" + port) + path;
    }
}
