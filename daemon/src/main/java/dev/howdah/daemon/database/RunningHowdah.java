package dev.howdah.daemon.database;

import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Version;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A {@code howdah up} that runs on this machine, as it describes itself: on its standard output with
 * {@code --json}, and in a file in its data directory, by which the other commands find the database. The file is
 * readable by its user only. What a process left behind that did not end by itself is known by the process: none
 * of that number that was started at that time.
 *
 * @param postgres the database as a URI that psql takes, without any password
 * @param uri the database as this process reaches it, which may hold a password; never printed
 * @param data the directory of its PostgreSQL; null if it serves a database that is not its own
 * @param state what its scheduler does
 * @param tables all that it serves, the first of them being the one above
 * @param console where its console is; null if it has none, or not yet
 */
public record RunningHowdah(
        String postgres,
        String uri,
        String schema,
        String table,
        @Nullable Path data,
        State state,
        long pid,
        Instant started,
        String version,
        List<Table> tables,
        @Nullable ConsolePlace console) {
    /**
     * Where a console is.
     *
     * @param address without a key
     * @param link that opens it, with a key where one is needed
     * @param secret with which {@code howdah console} asks for another link; never printed
     */
    public record ConsolePlace(String address, String link, String secret) {
        /**
         * What may be shown of it: a link opens a session of an administrator, and files and journals have other readers.
         *
         * @param toTerminal whether only the user who has started the program sees it
         */
        String shown(boolean toTerminal) {
            return toTerminal || link.indexOf('?') < 0 ? link : address;
        }
    }

    /**
     * One of the tables.
     *
     * @param user the role whose table it is; empty for the one that logs in
     */
    public record Table(String database, String user, String schema, String name, State state) {
        Map<String, @Nullable Object> fields() {
            Map<String, @Nullable Object> fields = new LinkedHashMap<>();
            fields.put("database", database);
            if (!user.isEmpty()) fields.put("user", user);
            fields.put("schema", schema);
            fields.put("table", name);
            fields.put("state", state.word());
            return fields;
        }
    }

    /** The state of a scheduler. */
    public enum State {
        /** It has not been able to serve the table yet, or can no more for now. */
        WAITING,
        /** It runs tasks. */
        ACTIVE,
        /** Another one runs tasks; this one takes over when that ends. */
        STANDBY,
        /** Everything in the database is paused. */
        PAUSED;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        static State of(@Nullable String word) {
            for (State state : values()) if (state.word().equals(word)) return state;
            return WAITING;
        }
    }

    /** The zone of tolerance of what operating systems say about when a process was started. */
    private static final Duration CLOCK_STEP = Duration.ofSeconds(10);

    /** What this process says of itself. */
    public static RunningHowdah here(
            String postgres,
            String uri,
            String schema,
            String table,
            @Nullable Path data,
            State state,
            List<Table> tables,
            @Nullable ConsolePlace console) {
        ProcessHandle self = ProcessHandle.current();
        Instant started = self.info().startInstant().orElse(Instant.EPOCH);
        return new RunningHowdah(
                postgres, uri, schema, table, data, state, self.pid(), started, Version.text(), tables, console);
    }

    /**
     * The line that {@code --json} prints.
     *
     * @param toTerminal whether only the user who has started the program sees it
     */
    public String toJson(boolean toTerminal) {
        Map<String, @Nullable Object> fields = fields();
        if (console != null) {
            fields.put("console", console.shown(toTerminal));
            fields.put("metrics", console.address() + "/metrics");
        }
        return Json.line(fields);
    }

    private Map<String, @Nullable Object> fields() {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("postgres", postgres);
        fields.put("schema", schema);
        fields.put("table", table);
        fields.put("pid", pid);
        fields.put("version", version);
        fields.put("state", state.word());
        fields.put("data", data == null ? null : data.toString());
        if (tables.size() > 1)
            fields.put("tables", tables.stream().map(Table::fields).toList());
        return fields;
    }

    /** Where this one's file is in {@code directory}: the owner of a data directory has the plain name. */
    private Path file(Path directory) {
        return directory.resolve(data == null ? "howdah-" + pid + ".json" : "howdah.json");
    }

    /** Writes the file, all at once. */
    public void write(Path directory) throws IOException {
        Map<String, @Nullable Object> fields = fields();
        fields.put("started", started.toString());
        fields.put("uri", uri);
        if (console != null) {
            fields.put("console", console.address());
            fields.put("console-secret", console.secret());
        }
        Path file = file(directory);
        Path fresh = directory.resolve(file.getFileName() + "." + pid + ".new");
        // The homes of Windows are closed to other users anyway.
        FileAttribute<?>[] ours =
                fresh.getFileSystem().supportedFileAttributeViews().contains("posix")
                        ? new FileAttribute<?>[] {
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                        }
                        : new FileAttribute<?>[0];
        Files.createDirectories(directory);
        try {
            Files.createFile(fresh, ours);
        } catch (FileAlreadyExistsException e) {
            Files.delete(fresh);
            Files.createFile(fresh, ours);
        }
        Files.writeString(fresh, Json.line(fields) + "\n");
        try {
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Removes the file. */
    public void remove(Path directory) throws IOException {
        Files.deleteIfExists(file(directory));
    }

    /**
     * All that run now with that data directory.
     *
     * @throws CliException if the directory cannot be read
     */
    public static List<RunningHowdah> all(Configuration configuration) {
        try {
            return in(configuration.data());
        } catch (IOException e) {
            throw CliException.failed(
                    "cannot look for a running howdah in " + configuration.data() + ": " + e.getMessage(), e);
        }
    }

    /** All that run now and left a file in {@code directory}. */
    static List<RunningHowdah> in(Path directory) throws IOException {
        List<RunningHowdah> running = new ArrayList<>();
        if (!Files.isDirectory(directory)) return running;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "howdah*.json")) {
            for (Path file : files) read(file).filter(RunningHowdah::isAlive).ifPresent(running::add);
        }
        return running;
    }

    private static Optional<RunningHowdah> read(Path file) throws IOException {
        try {
            Map<String, String> fields = Json.texts(Files.readString(file, StandardCharsets.UTF_8));
            if (!fields.keySet()
                    .containsAll(List.of("postgres", "uri", "schema", "table", "pid", "started", "version")))
                return Optional.empty();
            String data = fields.get("data");
            String address = fields.get("console");
            String secret = fields.get("console-secret");
            return Optional.of(new RunningHowdah(
                    get(fields, "postgres"),
                    get(fields, "uri"),
                    get(fields, "schema"),
                    get(fields, "table"),
                    data == null ? null : Path.of(data),
                    State.of(fields.get("state")),
                    Long.parseLong(get(fields, "pid")),
                    Instant.parse(get(fields, "started")),
                    get(fields, "version"),
                    List.of(),
                    address == null || secret == null ? null : new ConsolePlace(address, address, secret)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static String get(Map<String, String> fields, String name) {
        return Optional.ofNullable(fields.get(name)).orElseThrow();
    }

    private boolean isAlive() {
        return ProcessHandle.of(pid)
                .filter(ProcessHandle::isAlive)
                .flatMap(process -> process.info().startInstant().or(() -> Optional.of(started)))
                .filter(since -> Duration.between(since, started).abs().compareTo(CLOCK_STEP) < 0)
                .isPresent();
    }
}
