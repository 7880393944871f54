package dev.howdah.daemon.config;

import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.DidYouMean;
import dev.howdah.reach.ReachSettings;
import dev.howdah.task.RemotePlaces;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * The settings of one run. A flag beats the environment, which beats the file, which beats the defaults. Immutable.
 */
public final class Configuration {
    /** Variables that the launcher and the client libraries read. */
    private static final Set<String> OTHER_VARIABLES =
            Set.of("HOWDAH_CACHE", "HOWDAH_JAVA", "HOWDAH_JAVA_OPTS", "HOWDAH_TOKEN");

    /** A value and its source, in words for an error: {@code --pg-port}, {@code HOWDAH_PG_PORT}, {@code pg-port in FILE line 3}. */
    private record Given(String value, String by, Source source) {}

    private enum Source {
        FILE,
        ENVIRONMENT,
        FLAG
    }

    private final Map<Setting, Given> given;
    private final Path data;
    private final boolean usualData;
    private final Path home;
    private final Map<String, String> environment;

    private Configuration(
            Map<Setting, Given> given, Path data, boolean usualData, Path home, Map<String, String> environment) {
        this.home = home;
        this.environment = Map.copyOf(environment);
        this.given = given;
        this.data = data;
        this.usualData = usualData;
    }

    /**
     * Reads the environment and the file beneath the flags.
     *
     * @throws CliException naming the setting, its place and what would be right
     */
    public static Configuration of(Map<Setting, String> flags, Map<String, String> environment) {
        Map<Setting, Given> above = new EnumMap<>(Setting.class);
        environment.forEach((variable, value) -> {
            if (!variable.startsWith("HOWDAH_") || OTHER_VARIABLES.contains(variable)) return;
            Setting setting = Setting.ofVariable(variable)
                    .orElseThrow(() -> CliException.usage("unknown variable " + variable + " in the environment"
                            + DidYouMean.hint(variable, variables())));
            if (!value.isEmpty()) above.put(setting, checked(setting, value, variable, Source.ENVIRONMENT));
        });
        flags.forEach((setting, value) -> above.put(setting, checked(setting, value, setting.flag(), Source.FLAG)));

        Path home = Path.of(environment.getOrDefault("HOME", System.getProperty("user.home", "")));
        Path usual = usual(environment, home);
        Given aboveData = above.get(Setting.DATA);
        Path directory = aboveData == null ? usual : path(aboveData.value(), home);
        Given config = above.get(Setting.CONFIG);
        Path file = config == null ? directory.resolve("howdah.properties") : path(config.value(), home);
        if (config != null && !Files.isRegularFile(file))
            throw CliException.usage(config.by() + ": there is no file " + file);
        Map<Setting, Given> all = new EnumMap<>(Setting.class);
        if (Files.isRegularFile(file)) all.putAll(read(file));
        Given fileData = all.get(Setting.DATA);
        if (config == null && fileData != null)
            throw CliException.usage(fileData.by() + ": a file in the data directory cannot move that directory");
        all.putAll(above);
        Given givenData = all.get(Setting.DATA);
        Path data = givenData == null ? usual : path(givenData.value(), home);
        return new Configuration(all, data, data.equals(path("~/.howdah", home)), home, environment);
    }

    /** Where nothing says where: a unit of systemd names the directory of the service's state ({@code StateDirectory=}), below which it is. */
    private static Path usual(Map<String, String> environment, Path home) {
        String state = environment.getOrDefault("STATE_DIRECTORY", "").split(":", 2)[0];
        return path(state.isEmpty() ? "~/.howdah" : state + "/data", home);
    }

    private static List<String> variables() {
        return Stream.concat(Setting.variables().stream(), OTHER_VARIABLES.stream())
                .toList();
    }

    private static Given checked(Setting setting, String value, String by, Source source) {
        setting.complaint(value).ifPresent(complaint -> {
            throw CliException.usage(by + " " + complaint);
        });
        return new Given(value, by, source);
    }

    /** A path in which {@code ~} is the user's home, as in a shell. */
    private static Path path(String text, Path home) {
        Path path = text.equals("~") ? home : text.startsWith("~/") ? home.resolve(text.substring(2)) : Path.of(text);
        return path.toAbsolutePath().normalize();
    }

    private static Map<Setting, Given> read(Path file) {
        List<String> lines;
        try {
            lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw CliException.failed("cannot read " + file + ": " + reason(e), e);
        }
        Map<Setting, Given> found = new EnumMap<>(Setting.class);
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#") || line.startsWith("!")) continue;
            String place = file + " line " + (i + 1);
            int equals = line.indexOf('=');
            if (equals < 0) throw CliException.usage("\"" + line + "\" in " + place + " is not key=value");
            String key = line.substring(0, equals).strip();
            Setting setting = Setting.ofKey(key)
                    .orElseThrow(() -> CliException.usage(
                            "unknown key \"" + key + "\" in " + place + DidYouMean.hint(key, Setting.keys())));
            String by = key + " in " + place;
            Given earlier = found.put(
                    setting, checked(setting, line.substring(equals + 1).strip(), by, Source.FILE));
            if (earlier != null) throw CliException.usage(by + " was set before: " + earlier.by());
        }
        return found;
    }

    /** What went wrong with a file, without the path that some exceptions repeat and nothing else. */
    public static String reason(IOException e) {
        if (e instanceof java.nio.file.NoSuchFileException) return "there is no such file";
        return e instanceof java.nio.file.AccessDeniedException ? "permission denied" : String.valueOf(e.getMessage());
    }

    /**
     * What tasks may reach beside PostgreSQLs, and with which credentials.
     *
     * @throws CliException if the file of credentials cannot be read or is not understood
     */
    public ReachSettings reach() {
        return reach((places, file) -> ReachSettings.of(places, file, environment));
    }

    /**
     * The same without the secrets, which are not read.
     *
     * @throws CliException if the file cannot be read or is not understood
     */
    public ReachSettings reachWithoutSecrets() {
        return reach(ReachSettings::withoutSecrets);
    }

    private ReachSettings reach(BiFunction<List<String>, Path, ReachSettings> read) {
        List<String> places = find(Setting.ALLOW).map(Setting::reachPlaces).orElse(List.of());
        Given given = this.given.get(Setting.REACH);
        Path file = given == null ? data.resolve("reach.json") : path(given.value(), home);
        if (given == null && !Files.isRegularFile(file)) return ReachSettings.of(places);
        try {
            return read.apply(places, file);
        } catch (IllegalArgumentException e) {
            throw CliException.usage((given == null ? "" : given.by() + ": ") + e.getMessage());
        }
    }

    /** Where tasks may connect. */
    public RemotePlaces remotePlaces() {
        return find(Setting.ALLOW)
                .map(list -> RemotePlaces.of(Setting.postgresPlaces(list)))
                .orElseGet(RemotePlaces::everywhere);
    }

    /** The data directory, absolute. */
    public Path data() {
        return data;
    }

    /** Returns whether the data directory is the usual one, so that commands find it without being told. */
    public boolean usualData() {
        return usualData;
    }

    /**
     * The URL of an existing database, if one is to be used. Of a URL and a data directory the one that was given
     * closer to the command counts, except that a URL in the directory's own file belongs to the directory.
     *
     * @throws CliException if a file that the command names has a URL, which a directory given elsewhere would pass over
     */
    public Optional<String> url() {
        Given url = given.get(Setting.URL);
        Given dir = given.get(Setting.DATA);
        if (url == null) return Optional.empty();
        if (dir != null && dir.source() == Source.FLAG && url.source() == Source.FLAG)
            throw CliException.usage("--url and --data: an existing database or a data directory, not both");
        boolean dataIsCloser = dir != null && dir.source().compareTo(url.source()) > 0;
        boolean urlBelongsToData = url.source() == Source.FILE && !given.containsKey(Setting.CONFIG);
        if (dir != null && dataIsCloser && !urlBelongsToData && url.source() == Source.FILE)
            throw CliException.usage(dir.by() + " and " + url.by()
                    + ": a data directory or an existing database, not both; leave out one of them");
        return dataIsCloser && !urlBelongsToData ? Optional.empty() : Optional.of(url.value());
    }

    /** Returns whether that setting was given a value. */
    public boolean given(Setting setting) {
        return given.containsKey(setting);
    }

    /** All settings by the names of their options, for people: the value or the default, and where it was given; of what may hold a secret, whether it is set. */
    public Map<String, String> shown() {
        Map<String, String> shown = new LinkedHashMap<>();
        for (Setting setting : Setting.values()) {
            Given g = given.get(setting);
            String usual = setting.usual().orElseGet(setting::defaultText);
            if (g == null) {
                shown.put(setting.flag(), usual == null || usual.isBlank() ? "not set" : usual + " (not set)");
                continue;
            }
            String by = switch (g.source()) {
                case FLAG -> "option";
                case ENVIRONMENT -> "environment";
                case FILE -> "file";
            };
            shown.put(setting.flag(), (setting.isShown() ? g.value() : "set") + " (" + by + ")");
        }
        return shown;
    }

    /** Returns whether a flag of the command says it. */
    public boolean isFlag(Setting setting) {
        Given g = given.get(setting);
        return g != null && g.source() == Source.FLAG;
    }

    /** The value, which has to have a default. */
    public String text(Setting setting) {
        return find(setting).orElseThrow();
    }

    /** The value, which has to be a number and to have a default. */
    public int number(Setting setting) {
        return Integer.parseInt(text(setting));
    }

    /** The value that was given, or the default if there is one. */
    public Optional<String> find(Setting setting) {
        return Optional.ofNullable(given.get(setting)).map(Given::value).or(setting::usual);
    }

    /** What stands between the commas of the value; nothing if there is none. */
    public List<String> list(Setting setting) {
        return find(setting).map(Setting::list).orElse(List.of());
    }

    /** Names what was given and makes no sense together with an existing database. */
    public List<String> onlyForEmbedded() {
        List<String> names = new ArrayList<>();
        for (Setting setting : List.of(Setting.PG_PORT, Setting.PG_AUTH)) {
            Given g = given.get(setting);
            if (g != null && g.source() == Source.FLAG) names.add(g.by());
        }
        return names;
    }
}
