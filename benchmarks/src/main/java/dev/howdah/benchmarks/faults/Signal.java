package dev.howdah.benchmarks.faults;

import java.io.IOException;

/** Signals that the JDK cannot send. */
final class Signal {
    private Signal() {}

    /** @param name without SIG */
    static void send(String name, long pid) throws IOException, InterruptedException {
        int code = new ProcessBuilder("kill", "-s", name, Long.toString(pid))
                .inheritIO()
                .start()
                .waitFor();
        if (code != 0) throw new IOException("kill -s " + name + " " + pid + " failed");
    }
}
