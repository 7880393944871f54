package dev.howdah.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Another JVM that runs {@link ServerProgram}. */
final class Child implements AutoCloseable {
    private final Process process;
    private int port;
    private long server;

    Child(Path directory, Path binaries) throws IOException {
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        ServerProgram.class.getName(),
                        directory.toString(),
                        binaries.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Waits until the server runs. */
    Child ready() throws IOException {
        String line =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)).readLine();
        if (line == null) {
            throw new IOException("the child ended without a server");
        }
        String[] words = line.split(" ");
        port = Integer.parseInt(words[0]);
        server = Long.parseLong(words[1]);
        return this;
    }

    long pid() {
        return process.pid();
    }

    int port() {
        return port;
    }

    long server() {
        return server;
    }

    /** As kill -9 does. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() throws InterruptedException {
        kill();
    }
}
