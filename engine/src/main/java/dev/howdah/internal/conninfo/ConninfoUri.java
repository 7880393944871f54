package dev.howdah.internal.conninfo;

import dev.howdah.DatabaseAddressException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;

/** The form {@code postgresql://user:password@host:port,host:port/database?keyword=value&...}. */
final class ConninfoUri {
    private static final List<String> SCHEMES = List.of("postgresql://", "postgres://");

    private final List<Entry<String, String>> words = new ArrayList<>();

    private ConninfoUri() {}

    static boolean isUri(String text) {
        return SCHEMES.stream().anyMatch(text::startsWith);
    }

    /** The parts of the URI as words, in their order. */
    static List<Entry<String, String>> parse(String text) {
        ConninfoUri uri = new ConninfoUri();
        uri.read(text.substring(text.indexOf("://") + 3));
        return uri.words;
    }

    private void read(String text) {
        String rest = userInfo(text);
        int query = rest.indexOf('?');
        String place = query < 0 ? rest : rest.substring(0, query);
        int slash = place.indexOf('/');
        if (rest.equals(text) && slash >= 0 && place.indexOf('@', slash) >= 0)
            throw new DatabaseAddressException("the connection URI has an \"@\" after a \"/\""
                    + " (in a user name or password, write %2F for \"/\"; in a database name, write %40 for \"@\")");
        hosts(slash < 0 ? place : place.substring(0, slash), text.indexOf('@') >= 0);
        if (slash >= 0 && slash + 1 < place.length()) add("dbname", place.substring(slash + 1));
        if (query >= 0 && query + 1 < rest.length())
            for (String pair : rest.substring(query + 1).split("&")) query(pair);
    }

    /** Takes user and password; what follows them is returned. */
    private String userInfo(String text) {
        int slash = text.indexOf('/');
        int sign = text.indexOf('@');
        if (sign < 0 || (slash >= 0 && slash < sign)) return text;
        if (text.substring(sign + 1, slash < 0 ? text.length() : slash)
                .split("\\?", 2)[0]
                .contains("@"))
            throw new DatabaseAddressException("the connection URI has more than one \"@\" before its host:"
                    + " in a user name or password write %40 for it");
        String info = text.substring(0, sign);
        int colon = info.indexOf(':');
        String user = colon < 0 ? info : info.substring(0, colon);
        if (!user.isEmpty()) add("user", user);
        if (colon >= 0) add("password", info.substring(colon + 1));
        return text.substring(sign + 1);
    }

    /** @param mayHoldSecret whether an "@" stands somewhere, so that a strange port may be the start of a password */
    private void hosts(String text, boolean mayHoldSecret) {
        if (text.isEmpty()) return;
        List<String> hosts = new ArrayList<>();
        List<String> ports = new ArrayList<>();
        for (String entry : text.split(",", -1)) {
            int hostEnd = entry.startsWith("[") ? entry.indexOf(']') : entry.indexOf(':');
            if (entry.startsWith("[") && hostEnd < 0)
                throw new DatabaseAddressException("missing \"]\" after the IPv6 address in the connection URI");
            String host = entry.startsWith("[")
                    ? entry.substring(1, hostEnd)
                    : hostEnd < 0 ? entry : entry.substring(0, hostEnd);
            String after = entry.startsWith("[") ? entry.substring(hostEnd + 1) : entry.substring(host.length());
            if (entry.startsWith("[") && host.isEmpty())
                throw new DatabaseAddressException("IPv6 host address may not be empty in URI");
            if (!after.isEmpty() && !after.startsWith(":"))
                throw new DatabaseAddressException("unexpected character \"" + after.charAt(0)
                        + "\" after the IPv6 address in the connection URI (\":\" or \"/\" wanted)");
            String port = after.isEmpty() ? "" : after.substring(1);
            if (mayHoldSecret && !port.chars().allMatch(Character::isDigit))
                throw new DatabaseAddressException("invalid port number in the connection URI"
                        + " (in a password, write %2F for \"/\", %40 for \"@\" and %3A for \":\")");
            hosts.add(host);
            ports.add(port);
        }
        add("host", String.join(",", hosts));
        if (ports.stream().anyMatch(p -> !p.isEmpty())) add("port", String.join(",", ports));
    }

    private void query(String pair) {
        int equals = pair.indexOf('=');
        String keyword = decode("a query parameter", equals < 0 ? pair : pair.substring(0, equals));
        if ((equals < 0 || !Keyword.isKnown(keyword)) && endsWithSecret(words)) throw brokenSecret();
        if (equals < 0)
            throw new DatabaseAddressException(
                    "missing key/value separator \"=\" in URI query parameter: \"" + keyword + "\"");
        String value = pair.substring(equals + 1);
        if (value.indexOf('=') >= 0)
            throw new DatabaseAddressException(
                    "extra key/value separator \"=\" in URI query parameter: \"" + keyword + "\"");
        if (keyword.equals("ssl") && value.equals("true")) add("sslmode", "require");
        else add(keyword, value);
    }

    /** Returns whether the last word holds a secret, so that what follows it and is not understood may be the rest of it. */
    static boolean endsWithSecret(List<Entry<String, String>> words) {
        return !words.isEmpty() && Keyword.isSecret(words.get(words.size() - 1).getKey());
    }

    static DatabaseAddressException brokenSecret() {
        return new DatabaseAddressException("cannot read what follows the password among the parameters"
                + " (in a password, write %26 for \"&\" and %3D for \"=\")");
    }

    private void add(String keyword, String encoded) {
        words.add(Map.entry(keyword, decode("\"" + keyword + "\"", encoded)));
    }

    /** @param what names the piece in messages, which do not quote it because it may be a password */
    static String decode(String what, String text) {
        if (text.indexOf('%') < 0) return text;
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        ByteBuffer out = ByteBuffer.allocate(bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] != '%') {
                out.put(bytes[i]);
                continue;
            }
            int high = i + 2 < bytes.length ? Character.digit(bytes[i + 1], 16) : -1;
            int low = i + 2 < bytes.length ? Character.digit(bytes[i + 2], 16) : -1;
            if (high < 0 || low < 0)
                throw new DatabaseAddressException(
                        "invalid percent-encoded token in " + what + " of the connection URI (write %25 for \"%\")");
            if (high + low == 0)
                throw new DatabaseAddressException("forbidden value %00 in " + what + " of the connection URI");
            out.put((byte) (high << 4 | low));
            i += 2;
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(out.flip()).toString();
        } catch (CharacterCodingException e) {
            throw new DatabaseAddressException("the percent-encoded " + what + " of the connection URI is not UTF-8");
        }
    }

    /** Encodes everything but letters, digits and {@code -._~}. */
    static String encode(String text) {
        StringBuilder out = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            boolean plain =
                    b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || "-._~".indexOf(b) >= 0;
            if (plain) out.append((char) b);
            else out.append(String.format("%%%02X", b));
        }
        return out.toString();
    }
}
