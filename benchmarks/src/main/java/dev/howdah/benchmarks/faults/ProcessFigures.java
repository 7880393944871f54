package dev.howdah.benchmarks.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What the kernel says of a process. Linux only: it reads /proc. */
record ProcessFigures(long pid) {
    /** Resident memory in megabytes. */
    double residentMegabytes() throws IOException {
        return number("VmRSS:") / 1024.0;
    }

    /** How many threads it has. */
    int threads() throws IOException {
        return (int) number("Threads:");
    }

    private long number(String name) throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/status"))) {
            String line =
                    lines.filter(each -> each.startsWith(name)).findFirst().orElseThrow();
            return Long.parseLong(line.replaceAll("\\D", ""));
        }
    }
}
