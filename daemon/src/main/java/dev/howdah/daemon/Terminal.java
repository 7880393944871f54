package dev.howdah.daemon;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * What a command has around it: where it prints, where it reads, and the environment.
 *
 * @param out for results
 * @param err for everything else that a person should see
 * @param in the standard input
 * @param environment the variables
 * @param screen whether somebody looks at {@code err} while it is written, on a screen where a line can be written again
 */
record Terminal(
        PrintStream out, PrintStream err, InputStream in, Map<String, String> environment, BooleanSupplier screen) {
    /** One that nobody looks at. */
    Terminal(PrintStream out, PrintStream err, InputStream in, Map<String, String> environment) {
        this(out, err, in, environment, () -> false);
    }

    /** That of this process. It speaks UTF-8, whatever the locale says. */
    static Terminal ofProcess() {
        return new Terminal(
                utf8(FileDescriptor.out),
                utf8(FileDescriptor.err),
                System.in,
                Map.copyOf(System.getenv()),
                Terminal::isScreen);
    }

    /** Java can only tell for all three streams at once. */
    private static boolean isScreen() {
        if ("dumb".equals(System.getenv("TERM"))) return false;
        try {
            return new ProcessBuilder("test", "-t", "2")
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static PrintStream utf8(FileDescriptor descriptor) {
        return new PrintStream(
                new BufferedOutputStream(new FileOutputStream(descriptor), 1 << 16), false, StandardCharsets.UTF_8);
    }
}
