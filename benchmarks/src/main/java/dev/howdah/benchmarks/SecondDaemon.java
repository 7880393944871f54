package dev.howdah.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A {@code howdah up} that serves, or stands by for, what another one has at its own server. */
final class SecondDaemon implements AutoCloseable {
    private final Process process;

    private SecondDaemon(Process process) {
        this.process = process;
    }

    static SecondDaemon start(String launcher, String url, List<String> options) throws IOException {
        List<String> command = new ArrayList<>(List.of(launcher, "up", "--url", url, "--json"));
        command.addAll(options);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD) // it tells whom it stands by for, table by table
                .start();
        SecondDaemon started = new SecondDaemon(process);
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        if (out.readLine() == null) {
            started.close();
            throw new IOException("a second " + launcher + " up has ended before it was ready");
        }
        return started;
    }

    ProcessFigures figures() {
        return new ProcessFigures(process.pid());
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) process.destroyForcibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
