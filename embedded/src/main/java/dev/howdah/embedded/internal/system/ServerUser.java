package dev.howdah.embedded.internal.system;

import dev.howdah.embedded.EmbeddedPostgresException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The operating system user that PostgreSQL runs as. An ordinary user runs it as itself. PostgreSQL refuses root, and a
 * superuser of the database can run programs as the server's user; so root runs it as a user id of its own, without
 * capabilities and without a way to regain any. That user owns the data and nothing else: neither the directory around
 * it, nor the programs, nor what Howdah keeps there.
 *
 * @param uid -1 for the user of this process
 * @param gid the group of that id
 * @param reachesDirectory whether this user may enter the directory around the data. If not (the home of root is closed
 *     to others), the data directory is handed over as an open file descriptor.
 */
public record ServerUser(int uid, int gid, boolean reachesDirectory) {
    /** An id that systemd and Debian leave unassigned, so that no account and no other service shares it. */
    public static final int UNPRIVILEGED = 60_917;

    /** Programs for root whose own directory the server's user may not enter. */
    public static final Path SHARED_PROGRAMS = Path.of("/var/cache/howdah");

    private static final String DATA_DESCRIPTOR = "9";
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final boolean DEATH_SIGNAL =
            ExternalCommand.run("setpriv", "--pdeathsig", "INT", "true").succeeded();

    /** The user for a server whose data lies in this directory, which is opened to its group for it. */
    public static ServerUser of(Path directory) throws IOException {
        if (!root()) {
            return new ServerUser(-1, -1, true);
        }
        ServerUser user = new ServerUser(UNPRIVILEGED, UNPRIVILEGED, false);
        ExternalCommand trial = ExternalCommand.run(user.command(List.of("true")), "", LIMIT);
        if (!trial.succeeded()) {
            throw new EmbeddedPostgresException(
                    "PostgreSQL refuses to run as root, and it cannot be run as the user id "
                            + UNPRIVILEGED + " here (setpriv: " + trial.output()
                            + "); run Howdah as an ordinary user, or start a PostgreSQL server of your own and give Howdah its"
                            + " address with --url");
        }
        user.letGroupEnter(directory);
        return new ServerUser(UNPRIVILEGED, UNPRIVILEGED, user.reaches(directory));
    }

    public static boolean root() {
        try {
            return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return "root".equals(System.getProperty("user.name"));
        }
    }

    boolean self() {
        return uid < 0;
    }

    /** The directory stays root's: what Howdah writes there as root must not be a link of the server's making. */
    private void letGroupEnter(Path directory) throws IOException {
        if (!Integer.valueOf(0).equals(Files.getAttribute(directory, "unix:uid"))) {
            Files.setAttribute(directory, "unix:uid", 0);
        }
        String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(directory));
        if (mode.equals("rwx------")) {
            Files.setAttribute(directory, "unix:gid", gid);
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x---"));
        }
    }

    /** The path by which the server's processes name their data. */
    public String path(Path data) {
        return reachesDirectory ? data.toString() : "/proc/self/fd/" + DATA_DESCRIPTOR;
    }

    /** The command as this user, ended by the signal when the thread that starts it ends (where that can be had). */
    public List<String> command(String deathSignal, Path data, List<String> command) {
        return command(uid, deathSignal, data, command);
    }

    /**
     * The command as a user with a name, for programs that end without one (initdb, a server for a single session); the
     * data has to be given back by {@link #own} afterwards. It is an account that others use, too, but not with this
     * group: so they can look neither into the process nor into the data.
     */
    public List<String> namedCommand(Path data, List<String> command) throws IOException {
        int named = self() ? uid : account();
        own(data, named);
        return command(named, "KILL", data, command);
    }

    private static int account() {
        for (String name : List.of("nobody", "postgres")) {
            ExternalCommand id = ExternalCommand.run("id", "-u", name);
            if (id.succeeded()) {
                return Integer.parseInt(id.output());
            }
        }
        throw new EmbeddedPostgresException("PostgreSQL refuses to make its data as root, and there is neither a user"
                + " nobody nor a user postgres; run Howdah as an ordinary user");
    }

    private List<String> command(int as, String deathSignal, Path data, List<String> command) {
        List<String> words = new ArrayList<>();
        if (DEATH_SIGNAL) {
            words.addAll(List.of("setpriv", "--pdeathsig", deathSignal));
        }
        words.addAll(command);
        return reachesDirectory ? as(as, words) : withOpen(data, as(as, words));
    }

    private static List<String> withOpen(Path data, List<String> command) {
        List<String> words = new ArrayList<>(List.of(
                "sh", "-c", "exec " + DATA_DESCRIPTOR + "<\"$1\" && shift && exec \"$@\"", "sh", data.toString()));
        words.addAll(command);
        return words;
    }

    /** The command as this user, where no data is concerned. */
    public List<String> command(List<String> command) {
        return as(uid, command);
    }

    private List<String> as(int as, List<String> command) {
        if (self()) {
            return command;
        }
        List<String> words = new ArrayList<>(List.of(
                "setpriv", "--reuid=" + as, "--regid=" + gid, "--clear-groups", "--inh-caps=-all", "--no-new-privs"));
        words.addAll(command);
        return words;
    }

    /** Writes a file in the data directory as this user, which may have put a link in its place. */
    public void write(Path data, String name, String text, boolean append) throws IOException {
        if (self()) {
            Files.writeString(
                    data.resolve(name),
                    text,
                    StandardOpenOption.CREATE,
                    append ? StandardOpenOption.APPEND : StandardOpenOption.TRUNCATE_EXISTING,
                    StandardOpenOption.WRITE);
            return;
        }
        String redirect = append ? "cat >> \"$1\"" : "cat > \"$1\"";
        ExternalCommand written = ExternalCommand.run(
                command("KILL", data, List.of("sh", "-c", redirect, "sh", path(data) + "/" + name)), text, LIMIT);
        if (!written.succeeded()) {
            throw new IOException(data.resolve(name) + ": " + written.output());
        }
    }

    /** Gives the directory and all below it to this user; also the single files that root has put there since. */
    public void own(Path data) throws IOException {
        if (self()) {
            return;
        }
        own(data, uid);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(data)) {
            for (Path file : files) {
                Map<String, Object> found = Files.readAttributes(file, "unix:uid,nlink", LinkOption.NOFOLLOW_LINKS);
                // A second name may be one outside.
                if (Integer.valueOf(0).equals(found.get("uid"))
                        && Integer.valueOf(1).equals(found.get("nlink"))) {
                    DirectoryTree.chownOne(file, uid, gid);
                }
            }
        }
    }

    private void own(Path data, int owner) throws IOException {
        if (!self()
                && !Integer.valueOf(owner).equals(Files.getAttribute(data, "unix:uid", LinkOption.NOFOLLOW_LINKS))) {
            DirectoryTree.chown(data, owner, gid);
        }
    }

    /** Fails if this user cannot enter a directory of programs. */
    public void mustReach(Path programs) {
        if (!reaches(programs)) {
            throw new EmbeddedPostgresException(
                    "PostgreSQL refuses to run as root, and the user id that it runs as here ("
                            + uid + ") may not enter " + programs + "; let others pass with: chmod o+x " + programs
                            + " (and so for the directories above it)");
        }
    }

    public boolean reaches(Path path) {
        return self()
                || ExternalCommand.run(command(List.of("test", "-x", path.toString())), "", LIMIT)
                        .succeeded();
    }
}
