package dev.howdah.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Who PostgreSQL runs as. It refuses root, so root either hides in a user namespace (files stay root's) or hands the
 * server and its files to an ordinary user. Everybody else runs it as himself.
 *
 * @param prefix the words that go in front of a command
 * @param uid the owner that files must have, -1 to leave them alone
 * @param gid their group
 */
record ServerUser(List<String> prefix, int uid, int gid) {
    ServerUser {
        prefix = List.copyOf(prefix);
    }

    static ServerUser choose() {
        if (!root()) {
            return new ServerUser(List.of(), -1, -1);
        }
        return Command.run("unshare", "-U", "true").succeeded() ? namespace() : unprivileged();
    }

    static ServerUser namespace() {
        return new ServerUser(List.of("unshare", "-U"), 0, 0);
    }

    static ServerUser unprivileged() {
        for (String name : List.of("postgres", "nobody")) {
            Command uid = Command.run("id", "-u", name);
            Command gid = Command.run("id", "-g", name);
            if (uid.succeeded() && gid.succeeded() && Command.installed("setpriv")) {
                return new ServerUser(
                        List.of("setpriv", "--reuid=" + uid.output(), "--regid=" + gid.output(), "--clear-groups"),
                        Integer.parseInt(uid.output()),
                        Integer.parseInt(gid.output()));
            }
        }
        throw new EmbeddedPostgresException("PostgreSQL refuses to run as root, and neither `unshare -U` nor `setpriv`"
                + " with a user postgres or nobody works here; run Howdah as an ordinary user");
    }

    static boolean root() {
        try {
            return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return "root".equals(System.getProperty("user.name"));
        }
    }

    /** The command as this user, ended by the signal when the thread that starts it ends (where that can be had). */
    List<String> command(String deathSignal, List<String> command) {
        List<String> words = new ArrayList<>(prefix);
        if (DEATH_SIGNAL) {
            words.addAll(List.of("setpriv", "--pdeathsig", deathSignal));
        }
        words.addAll(command);
        return words;
    }

    private static final boolean DEATH_SIGNAL =
            Command.run("setpriv", "--pdeathsig", "INT", "true").succeeded();

    /** Gives the directory, and with {@code deep} all below it, to this user. */
    void own(Path path, boolean deep) throws IOException {
        if (uid < 0 || !Files.exists(path)) {
            return;
        }
        if (!Integer.valueOf(uid).equals(Files.getAttribute(path, "unix:uid"))) {
            if (deep) {
                Tree.chown(path, uid, gid);
            } else {
                Tree.chownOne(path, uid, gid);
            }
        }
    }

    /** Fails, naming the directory that is in the way, if this user cannot reach the given one. */
    void mustReach(Path path, String option) {
        if (prefix.isEmpty() || reaches(path)) {
            return;
        }
        Path root = path.getRoot();
        Path closed = path;
        if (root != null) {
            for (int i = 1; i <= path.getNameCount(); i++) {
                Path parent = root.resolve(path.subpath(0, i));
                if (!reaches(parent)) {
                    closed = parent;
                    break;
                }
            }
        }
        throw new EmbeddedPostgresException("PostgreSQL refuses to run as root, and the user it runs as here (`"
                + String.join(" ", prefix) + "`) may not enter " + closed + "; choose another directory with " + option
                + ", or let others pass with: chmod o+x " + closed);
    }

    private boolean reaches(Path path) {
        List<String> words = new ArrayList<>(prefix);
        words.addAll(List.of("test", "-x", path.toString()));
        return Command.run(words.toArray(String[]::new)).succeeded();
    }
}
