package dev.howdah.embedded;

import dev.howdah.embedded.internal.install.PostgresArchive;
import dev.howdah.embedded.internal.server.FreePorts;
import dev.howdah.embedded.internal.server.Postmaster;
import dev.howdah.embedded.internal.server.ServerLauncher;
import dev.howdah.embedded.internal.server.ServerOptions;
import dev.howdah.embedded.internal.system.DirectoryLayout;
import dev.howdah.embedded.internal.system.OwnerLock;
import java.net.URL;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A running PostgreSQL server that this process started and that ends with it. Superuser and database are both called
 * {@code postgres}; the server listens on 127.0.0.1 only. Data is durable unless asked otherwise. Thread-safe.
 */
public final class EmbeddedPostgres implements AutoCloseable {
    private final ServerOptions plan;
    private final DirectoryLayout layout;
    private final String version;
    private final int port;
    private final Postmaster postmaster;
    private final OwnerLock lock;

    public EmbeddedPostgres(
            ServerOptions plan,
            DirectoryLayout layout,
            String version,
            int port,
            Postmaster postmaster,
            OwnerLock lock) {
        this.plan = plan;
        this.layout = layout;
        this.version = version;
        this.port = port;
        this.postmaster = postmaster;
        this.lock = lock;
    }

    /**
     * A server in this directory, which Howdah owns from then on: data in {@code data}, the unpacked PostgreSQL in
     * {@code pg-18.x}, the log in {@code postgres.log}. It need not exist. Started by root, the server runs as a user id
     * of its own (60917), which owns {@code data} and nothing else; its programs are in {@code /var/cache/howdah} if
     * others may not enter the directory.
     */
    public static Builder at(Path directory) {
        return new Builder(directory);
    }

    /** The TCP port on 127.0.0.1. */
    public int port() {
        return port;
    }

    /** The number of the server's first process. */
    public long pid() {
        return postmaster.pid();
    }

    /** The directory it was given, absolute and without symbolic links. */
    public Path directory() {
        return layout.directory();
    }

    /** The version of PostgreSQL, such as {@code 18.4}. */
    public String version() {
        return version;
    }

    /**
     * The address of the database {@code postgres}, as psql and libpq take it. Never holds a secret: where a password
     * is required it names the file that holds it.
     */
    public String uri() {
        String uri = "postgresql://postgres@" + FreePorts.HOST + ":" + port + "/postgres";
        return passfile()
                .map(file -> uri + "?passfile="
                        + URLEncoder.encode(file.toString(), StandardCharsets.UTF_8)
                                .replace("+", "%20"))
                .orElse(uri);
    }

    /** The password file in libpq's format, readable by its owner only; empty where no password is required. */
    public Optional<Path> passfile() {
        return plan.passwordRequired() ? Optional.of(layout.passfile()) : Optional.empty();
    }

    /**
     * Has it run once, on a thread of the server's, if the server ends without {@link #close} having been called; at
     * once if it already has. The directory stays taken until {@link #close}.
     */
    public void onExit(Runnable action) {
        postmaster.onExit(action);
    }

    /**
     * Ends the server and gives the directory back: open sessions are cut off, what was committed is kept. Returns when
     * the process is gone; after 30 s it is ended by force. Calling it again does nothing.
     */
    @Override
    public synchronized void close() {
        postmaster.stop();
        lock.close();
    }

    /** What the server shall be like. Not thread-safe; may start several servers one after the other. */
    public static final class Builder {
        private static final Pattern SETTING = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)*");
        private static final int LARGEST_PORT = 65_535;

        private final Path directory;
        private final Map<String, String> settings = new LinkedHashMap<>();
        private @Nullable Path binaries;
        private int port;
        private boolean durable = true;
        private boolean passwordRequired;
        private @Nullable PostgresArchive archive;

        private Builder(Path directory) {
            this.directory = directory.toAbsolutePath().normalize();
        }

        /** The TCP port, 1 to 65535, or 0 for a free one. Defaults to 0. */
        public Builder port(int value) {
            if (value < 0 || value > LARGEST_PORT) {
                throw new EmbeddedPostgresException(
                        "port " + value + " does not exist; --pg-port takes 1 to 65535, or 0 for a free one");
            }
            port = value;
            return this;
        }

        /** A setting of postgresql.conf; overrides every default, every file and ALTER SYSTEM. */
        public Builder setting(String name, String value) {
            if (!SETTING.matcher(name).matches() || name.equals("port") || name.equals("data_directory")) {
                throw new EmbeddedPostgresException("\"" + name + "\" is not a setting that can be given;"
                        + " give one of postgresql.conf, such as work_mem, but not port or data_directory");
            }
            settings.put(name, value);
            return this;
        }

        /** Whether commits survive a crash of the machine. Defaults to true; false is for tests only. */
        public Builder durable(boolean value) {
            durable = value;
            return this;
        }

        /**
         * Whether sessions must give the superuser's password: a random one, kept in the directory as {@code password}
         * and, in libpq's format, as {@code pgpass}. Defaults to false: every client that reaches 127.0.0.1 is let in.
         */
        public Builder passwordRequired(boolean value) {
            passwordRequired = value;
            return this;
        }

        /**
         * A directory for unpacked PostgreSQL programs that several servers share. Defaults to the server's own. Where
         * root starts a server whose user may not enter it, {@code /var/cache/howdah} is used instead.
         */
        public Builder binaries(Path cache) {
            binaries = cache.toAbsolutePath().normalize();
            return this;
        }

        /**
         * Another PostgreSQL than the one brought along.
         *
         * @param version such as {@code 17.11}
         * @param location a tar compressed with xz, with bin, lib and share at its top
         */
        public Builder archive(String version, URL location) {
            archive = new PostgresArchive(version, location);
            return this;
        }

        /**
         * Starts the server, making its data first if there is none, and returns when it takes connections. A first
         * start takes seconds, a later one a fraction of one; recovery after a crash may take longer.
         *
         * @throws EmbeddedPostgresException if it cannot be started, with the reason for a person to read; then nothing
         *     runs and the directory is free
         */
        public EmbeddedPostgres start() {
            return ServerLauncher.start(
                    new ServerOptions(directory, binaries, port, durable, passwordRequired, settings, archive));
        }
    }
}
