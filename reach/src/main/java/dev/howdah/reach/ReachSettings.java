package dev.howdah.reach;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.reach.internal.call.Credentials;
import dev.howdah.reach.internal.call.ReachPlaces;
import dev.howdah.reach.internal.call.Senders;
import dev.howdah.reach.internal.exec.Programs;
import dev.howdah.reach.internal.http.Proxies;
import dev.howdah.reach.internal.jdbc.NamedDatabases;
import dev.howdah.reach.internal.limit.TargetRules;
import dev.howdah.reach.internal.mail.DkimKeys;
import dev.howdah.reach.internal.secret.JsonKeys;
import dev.howdah.reach.internal.secret.SecretSource;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Says what tasks may reach, and with which credentials. Immutable. */
public final class ReachSettings {
    private static final Set<String> KEYS = Set.of(
            "credentials",
            "private",
            "authorities",
            "senders",
            "programs",
            "knownHosts",
            "databases",
            "drivers",
            "fonts",
            "limits",
            "dkim",
            "proxies",
            "legacy");

    private final ReachPlaces places;
    private final Contents contents;

    /**
     * The things that stand in a file.
     *
     * @param knownHosts null if there is no such file
     * @param authorities null for those of Java
     * @param drivers null without a file
     * @param fonts null without a file
     */
    private record Contents(
            ReachPlaces privatePlaces,
            Credentials credentials,
            Senders senders,
            Programs programs,
            @Nullable Path knownHosts,
            @Nullable Path authorities,
            NamedDatabases databases,
            @Nullable Path drivers,
            @Nullable Path fonts,
            TargetRules limits,
            DkimKeys dkim,
            Proxies proxies,
            ReachPlaces legacyPlaces) {
        static final Contents NONE = new Contents(
                ReachPlaces.of(List.of()),
                Credentials.of(null, new SecretSource(Path.of(""), Map.of())),
                Senders.of(List.of()),
                Programs.of(null),
                null,
                null,
                NamedDatabases.of(null),
                null,
                null,
                TargetRules.of(null),
                DkimKeys.of(null, new SecretSource(Path.of(""), Map.of())),
                Proxies.of(null, new SecretSource(Path.of(""), Map.of())),
                ReachPlaces.of(List.of()));
    }

    private ReachSettings(ReachPlaces places, Contents contents) {
        this.places = places;
        this.contents = contents;
    }

    /** Returns whether an element of a list of places is one of these, and not the address of a PostgreSQL. */
    public static boolean isPlace(String text) {
        return ReachPlaces.isMeant(text);
    }

    /**
     * These places, without credentials: {@code https://HOST[:PORT][/PATH][=OWNER,OWNER]}. Without a port it is the usual one of the
     * scheme, {@code *} is any. {@code *} as the host is any host, {@code *.example} any name that ends so. A path that ends in
     * {@code /*} is for all that lies beneath it, another one for itself alone, and without a path it is for every path. Without
     * owners it is for every owner. {@code exec:NAME=OWNER} is a program, {@code jdbc:NAME=OWNER} a database. An empty list allows nothing.
     *
     * @throws IllegalArgumentException if something in the list is no such place
     */
    public static ReachSettings of(List<String> places) {
        return new ReachSettings(ReachPlaces.of(places), Contents.NONE);
    }

    /**
     * These places, with the credentials and more of a file, an object of JSON: {@code credentials} by name, {@code private}, the places
     * that may have private addresses, {@code authorities}, a file of certificates that are trusted instead of those of Java, {@code senders},
     * the addresses from which mails may be, {@code programs} and
     * {@code databases} by name, {@code drivers}, the folder of the drivers of databases, {@code drivers} beside this file unless named, {@code fonts}, that of fonts of documents,
     * {@code fonts} beside this file unless named,
     * {@code limits} by place, how many tasks are there at once and begin there within a time,
     * {@code dkim} by domain, the keys that sign mails, {@code proxies} by name, {@code legacy}, hosts that may use key exchanges that are
     * weak today, and
     * {@code knownHosts}, the file of the keys of hosts, {@code known_hosts} beside this one unless named.
     *
     * @param environment the variables that may hold secrets
     * @throws IllegalArgumentException if the file or something that it names cannot be read or is not understood; its message has no
     *     secret in it
     */
    public static ReachSettings of(List<String> places, Path file, Map<String, String> environment) {
        return read(places, file, new SecretSource(directory(file), environment));
    }

    /**
     * The same without its secrets, which need not be there and are not read: to {@linkplain #rules list} what is allowed, and not to do tasks.
     *
     * @throws IllegalArgumentException if the file cannot be read or is not understood
     */
    public static ReachSettings withoutSecrets(List<String> places, Path file) {
        return read(places, file, SecretSource.closed(directory(file)));
    }

    private static Path directory(Path file) {
        Path directory = file.toAbsolutePath().getParent();
        return directory == null ? Path.of("/") : directory;
    }

    private static ReachSettings read(List<String> places, Path file, SecretSource source) {
        JsonNode root;
        try {
            root = new ObjectMapper().readTree(SecretSource.settings(file));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    file + " is no JSON at line " + e.getLocation().getLineNr(), e);
        }
        try {
            JsonKeys.only(root, KEYS);
            String trusted = JsonKeys.text(root, "authorities");
            String known = JsonKeys.text(root, "knownHosts");
            String drivers = JsonKeys.text(root, "drivers");
            String fonts = JsonKeys.text(root, "fonts");
            Contents contents = new Contents(
                    ReachPlaces.of(JsonKeys.texts(root, "private")),
                    Credentials.of(root.get("credentials"), source),
                    Senders.of(JsonKeys.texts(root, "senders")),
                    Programs.of(root.get("programs")),
                    source.path(known == null ? "known_hosts" : known),
                    trusted == null ? null : source.path(trusted),
                    NamedDatabases.of(root.get("databases")),
                    source.path(drivers == null ? "drivers" : drivers),
                    source.path(fonts == null ? "fonts" : fonts),
                    TargetRules.of(root.get("limits")),
                    DkimKeys.of(root.get("dkim"), source),
                    Proxies.of(root.get("proxies"), source),
                    legacy(JsonKeys.texts(root, "legacy")));
            return new ReachSettings(ReachPlaces.of(places), contents);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    private static ReachPlaces legacy(List<String> places) {
        for (String each : places)
            if (!each.matches("(?i)(ssh|sftp)://[^=]+"))
                throw new IllegalArgumentException(
                        "\"legacy\" has to be a list of hosts, without owners: [\"ssh://*.net.example\"]");
        return ReachPlaces.of(places);
    }

    /** What is allowed, to whom, and what has a name in the file; no secret. */
    public List<ReachRule> rules() {
        return RuleList.of(this);
    }

    ReachPlaces places() {
        return places;
    }

    ReachPlaces privatePlaces() {
        return contents.privatePlaces();
    }

    Credentials credentials() {
        return contents.credentials();
    }

    Senders senders() {
        return contents.senders();
    }

    Programs programs() {
        return contents.programs();
    }

    NamedDatabases databases() {
        return contents.databases();
    }

    /** Null if there is no file of settings. */
    @Nullable
    Path drivers() {
        return contents.drivers();
    }

    /** Null if there is no file of settings. */
    @Nullable
    Path fonts() {
        return contents.fonts();
    }

    /** Null if there is no such file. */
    @Nullable
    Path knownHosts() {
        return contents.knownHosts();
    }

    /** Hosts that may use what is weak today. */
    ReachPlaces legacyPlaces() {
        return contents.legacyPlaces();
    }

    TargetRules limits() {
        return contents.limits();
    }

    Proxies proxies() {
        return contents.proxies();
    }

    DkimKeys dkim() {
        return contents.dkim();
    }

    @Nullable
    Path authorities() {
        return contents.authorities();
    }
}
