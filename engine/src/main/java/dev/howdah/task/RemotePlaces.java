package dev.howdah.task;

import dev.howdah.Database;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The servers to which tasks with {@code remote} may connect, and the owners of such tasks. Names of hosts are compared as they are written,
 * never resolved. Immutable.
 */
public final class RemotePlaces {
    private static final Pattern FORM = Pattern.compile(
            "(?i:postgres(?:ql)?)://(\\[[0-9A-Fa-f:.]+]|\\*|(?:\\*\\.)?[^\\s/:@=*?#\\[\\]]+)(?::(\\d{1,5}|\\*))?"
                    + "(?:/([^\\s/=?#]*))?(?:=(\\S+))?");
    private static final int USUAL_PORT = 5432;
    private static final String ANY = "*";
    private static final RemotePlaces EVERYWHERE = new RemotePlaces(null, "everywhere");

    /**
     * @param port null for any
     * @param database null for any
     * @param owners empty for every owner
     */
    private record Place(
            String host, @Nullable Integer port, @Nullable String database, Set<String> owners) {
        boolean has(String owner, Database.HostPort server, String name) {
            return hasHost(server)
                    && (port == null || port == server.port())
                    && (database == null || database.equals(name))
                    && (owners.isEmpty() || owners.contains(owner));
        }

        /** A directory of sockets is on the machine of the program: no pattern means it. */
        private boolean hasHost(Database.HostPort server) {
            if (server.isUnixSocket()) return host.equals(server.host());
            String given = plain(server.host());
            if (host.equals(ANY)) return true;
            if (host.startsWith("*.")) return given.endsWith(host.substring(1)) && given.length() >= host.length();
            return host.equals(given);
        }
    }

    private final @Nullable List<Place> places;

    private final String text;

    private RemotePlaces(@Nullable List<Place> places, String text) {
        this.places = places == null ? null : List.copyOf(places);
        this.text = text;
    }

    /** Wherever the program can connect, for every owner. */
    public static RemotePlaces everywhere() {
        return EVERYWHERE;
    }

    /**
     * These places only: {@code postgresql://HOST[:PORT][/DATABASE][=OWNER,OWNER]}. Without a port it is 5432, {@code *} is
     * any. {@code *} as the host is any host, {@code *.example.org} any name that ends so; a directory of Unix sockets is
     * written with {@code %2F} for each slash. Without a database it is any; without owners it is for every owner. Characters
     * that have a meaning here, such as commas in names, are written as in URLs. An empty list allows nothing.
     *
     * @throws IllegalArgumentException if something in the list is no such place
     */
    public static RemotePlaces of(List<String> places) {
        List<Place> read = new ArrayList<>();
        for (String each : places) read.add(place(each));
        return new RemotePlaces(read, String.join(" ", places));
    }

    private static Place place(String text) {
        Matcher form = FORM.matcher(text);
        String wrong = "\"" + text.replaceFirst("//.*@", "//***@")
                + "\" has to be postgresql://HOST, with :PORT, /DATABASE and =OWNER,OWNER where needed";
        if (!form.matches()) throw new IllegalArgumentException(wrong);
        String port = form.group(2);
        int number = port == null ? USUAL_PORT : port.equals(ANY) ? 1 : Integer.parseInt(port);
        if (number < 1 || number > 65_535) throw new IllegalArgumentException(wrong);
        try {
            String host = decoded(form.group(1));
            String database = form.group(3);
            Set<String> owners = new TreeSet<>();
            if (form.group(4) != null)
                Arrays.stream(form.group(4).split(",", -1))
                        .map(RemotePlaces::decoded)
                        .forEach(owners::add);
            if (owners.contains("")) throw new IllegalArgumentException(wrong);
            return new Place(
                    host.startsWith("/") ? host : plain(host),
                    ANY.equals(port) ? null : (Integer) number,
                    database == null || database.isEmpty() || database.equals(ANY) ? null : decoded(database),
                    Set.copyOf(owners));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(wrong, e);
        }
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** In lower case, without the brackets of an IPv6 address, and without the dot at the end of a full name. */
    private static String plain(String host) {
        String name = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        return (name.endsWith(".") ? name.substring(0, name.length() - 1) : name).toLowerCase(Locale.ROOT);
    }

    /**
     * Why tasks of that owner may not connect there; null if they may. Each of several servers has to be allowed.
     *
     * @param owner the name of a role
     */
    @Nullable
    public String refusal(String owner, Database where) {
        if (places == null) return null;
        for (Database.HostPort server : where.hosts())
            if (places.stream().noneMatch(place -> place.has(owner, server, where.database())))
                return "Tasks of role \"" + owner + "\" may not connect to " + server + ", database \""
                        + where.database() + "\": no place that is allowed is this one.";
        return null;
    }

    /** The list, with blanks between. */
    @Override
    public String toString() {
        return text;
    }
}
