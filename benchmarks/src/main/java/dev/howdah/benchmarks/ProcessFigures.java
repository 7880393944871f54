package dev.howdah.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What the kernel says of a process. Linux only: it reads /proc. */
public record ProcessFigures(long pid) {
    private static final double TICKS_PER_SECOND = 100;

    /** Resident memory in megabytes. */
    public double residentMegabytes() throws IOException {
        return number("VmRSS:") / 1024.0;
    }

    /** How many threads it has. */
    public int threads() throws IOException {
        return (int) number("Threads:");
    }

    /** Processor time that it has used; 0 when it has ended. */
    public double cpuSeconds() {
        return seconds(false);
    }

    /** The same with that of children that have ended. */
    double cpuSecondsWithChildren() {
        return seconds(true);
    }

    private double seconds(boolean withChildren) {
        String stat;
        try {
            stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        } catch (IOException e) {
            return 0;
        }
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        long ticks = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
        if (withChildren) ticks += Long.parseLong(fields[13]) + Long.parseLong(fields[14]);
        return ticks / TICKS_PER_SECOND;
    }

    private long number(String name) throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/status"))) {
            String line =
                    lines.filter(each -> each.startsWith(name)).findFirst().orElseThrow();
            return Long.parseLong(line.replaceAll("\\D", ""));
        }
    }
}
