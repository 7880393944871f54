package dev.howdah.daemon;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * What a command has around it: where it prints, where it reads, and the environment.
 *
 * @param out for results
 * @param err for everything else that a person should see
 * @param in the standard input
 * @param environment the variables
 */
record Terminal(PrintStream out, PrintStream err, InputStream in, Map<String, String> environment) {
    /** That of this process. It speaks UTF-8, whatever the locale says. */
    static Terminal ofProcess() {
        return new Terminal(utf8(FileDescriptor.out), utf8(FileDescriptor.err), System.in, Map.copyOf(System.getenv()));
    }

    private static PrintStream utf8(FileDescriptor descriptor) {
        return new PrintStream(
                new BufferedOutputStream(new FileOutputStream(descriptor), 1 << 16), false, StandardCharsets.UTF_8);
    }
}
