package dev.howdah.reach.internal.child;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Small programs of the system that start others with less rights or more order. */
public final class SystemTools {
    private static final Logger log = LoggerFactory.getLogger(SystemTools.class);
    private static final List<Path> FOLDERS = List.of(Path.of("/usr/local/bin"), Path.of("/usr/bin"), Path.of("/bin"));

    /** Of setpriv; that of util-linux has it from version 2.33 on. */
    private static final String DEATH_SIGNAL = "--pdeathsig";

    private static final long ANSWER_SECONDS = 5;

    /** Asked once. */
    private static final class DeathSignal {
        private static final List<String> OPTIONS = has() ? List.of(DEATH_SIGNAL + "=KILL") : List.of();

        private DeathSignal() {}

        private static boolean has() {
            String setpriv = find("setpriv");
            if (setpriv == null) return false;
            return answer(setpriv, "--help").contains(DEATH_SIGNAL);
        }
    }

    private SystemTools() {}

    /** Options of setpriv by which a program is killed with the thread that has started it; empty where it has none. */
    static List<String> deathSignal() {
        return DeathSignal.OPTIONS;
    }

    /** Its path; null if it is not there. */
    @Nullable
    public static String find(String name) {
        return FOLDERS.stream()
                .map(each -> each.resolve(name))
                .filter(Files::isExecutable)
                .findFirst()
                .map(Path::toString)
                .orElse(null);
    }

    /** What the command prints; empty where that is nothing, or the command fails. */
    static String answer(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String text = new String(process.getInputStream().readNBytes(65_536), StandardCharsets.UTF_8);
            if (process.waitFor(ANSWER_SECONDS, TimeUnit.SECONDS)) return process.exitValue() == 0 ? text.strip() : "";
            process.destroyForcibly();
        } catch (IOException e) {
            log.debug("{} does not run", command[0], e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return "";
    }

    /** Its path. */
    static String needed(String name, String why) {
        String found = find(name);
        if (found != null) return found;
        throw new IllegalArgumentException(
                why + " needs the program " + name + ", of the package util-linux, which is not in /usr/bin");
    }
}
