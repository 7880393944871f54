package dev.howdah.embedded.internal.server;

import dev.howdah.embedded.EmbeddedPostgres;
import dev.howdah.embedded.EmbeddedPostgresException;
import dev.howdah.embedded.internal.install.Binaries;
import dev.howdah.embedded.internal.install.PostgresArchive;
import dev.howdah.embedded.internal.system.DirectoryLayout;
import dev.howdah.embedded.internal.system.ExternalCommand;
import dev.howdah.embedded.internal.system.IoErrors;
import dev.howdah.embedded.internal.system.OwnerLock;
import dev.howdah.embedded.internal.system.PidFile;
import dev.howdah.embedded.internal.system.ServerUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The start of one server, from the lock on its directory to the first connection it takes. */
public final class ServerLauncher {
    private static final Logger LOG = LoggerFactory.getLogger(ServerLauncher.class);
    /** Recovery of much unfinished work takes long, and killing it would only make it begin anew. */
    private static final Duration START_LIMIT = Duration.ofMinutes(10);

    private static final Duration VERSION_LIMIT = Duration.ofSeconds(20);
    private static final int POLL_MILLIS = 10;
    private static final int SESSIONS_POLL_MILLIS = 200;
    private static final int ATTEMPTS = 5;
    /** Sessions of a killed server end within moments, or when the statement they run does. */
    private static final Duration LAST_SESSIONS = Duration.ofSeconds(30);

    private final ServerOptions plan;
    private final DirectoryLayout layout;
    private final OwnerLock lock;
    private final ServerLog log;
    private final PostgresArchive archive;
    private final ServerUser user;

    private ServerLauncher(ServerOptions plan, DirectoryLayout layout, OwnerLock lock, ServerUser user) {
        this.plan = plan;
        this.layout = layout;
        this.lock = lock;
        this.user = user;
        this.log = new ServerLog(layout.log());
        this.archive = plan.archive() == null ? PostgresArchive.bundled() : plan.archive();
    }

    public static EmbeddedPostgres start(ServerOptions plan) {
        DirectoryLayout layout = DirectoryLayout.in(plan.directory());
        OwnerLock lock = OwnerLock.take(layout.directory());
        boolean running = false;
        try {
            EmbeddedPostgres server = new ServerLauncher(plan, layout, lock, ServerUser.of(layout.directory())).run();
            running = true;
            return server;
        } catch (IOException e) {
            throw new EmbeddedPostgresException(
                    "PostgreSQL could not be started in " + layout.directory() + ": " + IoErrors.of(e), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EmbeddedPostgresException("interrupted while PostgreSQL started in " + layout.directory(), e);
        } finally {
            if (!running) {
                lock.close();
            }
        }
    }

    private EmbeddedPostgres run() throws IOException, InterruptedException {
        OrphanedServer.clear(layout);
        DataDirectory.mustBe(archive, layout.data());
        if (plan.port() != 0) {
            FreePorts.mustBeFree(plan.port());
        }
        Path binaries = Binaries.unpacked(programs(), archive);
        mustRun(binaries);
        DataDirectory cluster = new DataDirectory(layout, binaries, archive, user);
        cluster.makeIfAbsent();
        if (plan.passwordRequired()) {
            SuperuserPassword.ensure(cluster);
        }
        ServerConfiguration.write(layout, user, plan.passwordRequired());
        log.prepare();
        return attempts(binaries);
    }

    /** Where the programs are unpacked: where asked for, if the server's user can reach that. */
    private Path programs() throws IOException {
        Path wanted = plan.binaries() == null ? layout.directory() : plan.binaries();
        Files.createDirectories(wanted);
        return user.reaches(wanted) ? wanted : ServerUser.SHARED_PROGRAMS;
    }

    private void mustRun(Path binaries) {
        user.mustReach(binaries);
        ExternalCommand version = ExternalCommand.run(
                user.command(List.of(binaries.resolve("bin/postgres").toString(), "--version")), "", VERSION_LIMIT);
        if (!version.succeeded() || !version.output().contains(archive.version())) {
            throw new EmbeddedPostgresException("the PostgreSQL " + archive.version() + " in " + binaries
                    + " does not run on this system: " + version.output()
                    + "; start a PostgreSQL server of your own and give Howdah its address");
        }
    }

    private EmbeddedPostgres attempts(Path binaries) throws IOException, InterruptedException {
        long sessionsGone = System.nanoTime() + LAST_SESSIONS.toNanos();
        for (int attempt = 1; ; attempt++) {
            int port = plan.port() == 0 ? FreePorts.free() : plan.port();
            long offset = log.size();
            Postmaster postmaster = Postmaster.spawn(command(binaries, port), layout.log());
            if (ready(postmaster, port)) {
                tell(postmaster, port);
                return new EmbeddedPostgres(plan, layout, archive.version(), port, postmaster, lock);
            }
            String text = log.since(offset);
            if (text.contains("pre-existing shared memory block") && System.nanoTime() < sessionsGone) {
                LOG.info("Sessions of the killed server in {} still end; waiting for them", layout.data());
                Thread.sleep(SESSIONS_POLL_MILLIS);
            } else if (!text.contains("could not bind") || plan.port() != 0 || attempt >= ATTEMPTS) {
                throw failure(text, port);
            }
        }
    }

    private EmbeddedPostgresException failure(String text, int port) {
        return text.contains("could not bind")
                ? FreePorts.taken(port, text)
                : new EmbeddedPostgresException("PostgreSQL in " + layout.directory() + " ended while it started: "
                        + ServerLog.reason(text) + " (" + layout.log() + ")");
    }

    private void tell(Postmaster postmaster, int port) throws IOException {
        try {
            lock.tell(port);
        } catch (IOException e) {
            postmaster.stop();
            throw e;
        }
    }

    /** True when it takes connections, false when it ended. */
    private boolean ready(Postmaster postmaster, int port) throws InterruptedException {
        long deadline = System.nanoTime() + START_LIMIT.toNanos();
        boolean handedOver = false;
        try {
            while (System.nanoTime() < deadline) {
                PidFile file = PidFile.read(layout.data());
                if (file != null && file.pid() == postmaster.pid() && file.ready() && FreePorts.accepts(port)) {
                    handedOver = true;
                    return true;
                }
                if (postmaster.ended(POLL_MILLIS)) {
                    return false;
                }
            }
            throw new EmbeddedPostgresException("PostgreSQL in " + layout.directory() + " was not ready after "
                    + START_LIMIT.toMinutes() + " minutes; " + layout.log() + " tells how far it came");
        } finally {
            if (!handedOver) {
                postmaster.stop();
            }
        }
    }

    private List<String> command(Path binaries, int port) {
        List<String> words = new ArrayList<>();
        if (ExternalCommand.installed("setsid")) {
            // Its own session: Ctrl-C in a terminal is for Howdah, which still needs the server while it ends.
            words.add("setsid");
        }
        List<String> postgres =
                new ArrayList<>(List.of(binaries.resolve("bin/postgres").toString(), "-D", user.path(layout.data())));
        ServerConfiguration.commandLine(layout, user, port, plan.durable(), plan.settings())
                .forEach((name, value) -> postgres.addAll(List.of("-c", name + "=" + value)));
        words.addAll(user.command("INT", layout.data(), postgres));
        return words;
    }
}
