package dev.howdah.daemon;

import dev.howdah.daemon.console.Terminal;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;

/**
 * Loads the classes of usual commands and does nothing else, for the archive of classes that the launcher has Java write when this program
 * ends. The commands run without a database: they are refused by a port of this machine at which no server listens.
 */
public final class CommandTraining {
    /** What commands need once they have a database: that is loaded, and not run. */
    private static final Pattern WITH_A_DATABASE = Pattern.compile(
            "(org/postgresql/(core|jdbc|util)|dev/howdah/internal/(connection|sql|wire)|dev/howdah/daemon/console)/.*\\.class");

    private CommandTraining() {}

    public static void main(String[] arguments) throws IOException {
        String refused;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            refused = "--url=postgresql://howdah@127.0.0.1:" + socket.getLocalPort() + "/howdah";
        }
        run("--version");
        run("--help");
        run("job", "list", "--help");
        for (String each : new String[] {"task", "job", "sweep", "process"}) run(each, "list", refused);
        run("sql", refused, "SELECT 1");
        try (JarFile jar = new JarFile(System.getProperty("java.class.path"))) {
            jar.stream()
                    .map(JarEntry::getName)
                    .filter(WITH_A_DATABASE.asMatchPredicate())
                    .forEach(CommandTraining::load);
        }
    }

    private static void run(String... arguments) {
        PrintStream out = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        Main.run(arguments, new Terminal(out, out, InputStream.nullInputStream(), Map.of()));
    }

    private static void load(String file) {
        try {
            Class.forName(
                    file.substring(0, file.length() - ".class".length()).replace('/', '.'),
                    false,
                    CommandTraining.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            // A class for a library that is not here: no command uses it either.
        }
    }
}
