package dev.howdah.benchmarks;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Eight processes of one worker each, undisturbed, and with one of them killed by force twice a second and started again: how
 * long that takes, and how many rows were worked on more than once. It fails unless each row was marked once, and only rows that were in
 * work at a kill were worked on again.
 */
final class SweepKill implements Scenario {
    private static final int PROCESSES = 8;
    private static final long EVERY_MILLIS = 500;

    private final int rows;

    SweepKill(int rows) {
        this.rows = rows;
    }

    @Override
    public String name() {
        return "kill";
    }

    @Override
    public void run(Bench bench) throws Exception {
        SweepTable table = new SweepTable(bench);
        try (SweepVictims victims = SweepVictims.of(bench, table)) {
            double undisturbed = measure(bench, table, victims, false, 0);
            measure(bench, table, victims, true, undisturbed);
        }
    }

    private double measure(Bench bench, SweepTable table, SweepVictims victims, boolean kills, double undisturbed)
            throws Exception {
        table.fill(rows);
        Path directory = Files.createTempDirectory("howdah-sweep");
        String name = "victims-" + System.nanoTime();
        SplittableRandom random = new SplittableRandom(7);
        List<Process> processes = new ArrayList<>();
        long begun = System.nanoTime();
        Set<Integer> killed = new HashSet<>();
        int started = 0;
        int[] numbers = IntStream.range(0, PROCESSES).toArray();
        for (; started < PROCESSES; started++) processes.add(victims.start(name, effects(directory, started)));
        while (bench.value(Boolean.class, "SELECT EXISTS (SELECT FROM subscription WHERE last_mail_at IS NULL)")) {
            Bench.pause(Duration.ofMillis(EVERY_MILLIS));
            if (!kills) continue;
            int victim = random.nextInt(PROCESSES);
            if (processes.get(victim).isAlive()) killed.add(numbers[victim]);
            processes.get(victim).destroyForcibly().waitFor();
            numbers[victim] = started;
            processes.set(victim, victims.start(name, effects(directory, started++)));
        }
        double seconds = (System.nanoTime() - begun) / 1e9;
        for (Process each : processes) each.destroyForcibly().waitFor();
        table.check(rows);
        long repeats = repeats(directory, killed);
        Figures figures = new Figures()
                .put("rows", rows)
                .put("seconds", seconds)
                .put("kills", killed.size())
                .put("repeats", repeats);
        if (kills) figures.put("times_undisturbed", seconds / undisturbed);
        bench.print(kills ? "killed twice a second" : "undisturbed", 1, figures);
        return seconds;
    }

    private static Path effects(Path directory, int number) {
        return directory.resolve("effects-" + number);
    }

    /** How often rows were worked on again. Each one has to have been in work when a process was killed. */
    private long repeats(Path directory, Set<Integer> killed) throws IOException {
        int[] times = new int[rows + 1];
        BitSet inWork = new BitSet(rows + 1);
        List<Path> files;
        try (Stream<Path> listed = Files.list(directory)) {
            files = listed.toList();
        }
        for (Path each : files) {
            boolean wasKilled = killed.contains(
                    Integer.parseInt(each.getFileName().toString().replaceAll("\\D", "")));
            try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(each)))) {
                for (long left = Files.size(each) / 4; left > 0; left--) {
                    int row = in.readInt();
                    times[row]++;
                    if (wasKilled && left <= SweepVictim.BATCH) inWork.set(row);
                }
            }
            Files.delete(each);
        }
        Files.delete(directory);
        long repeats = 0;
        for (int row = 1; row <= rows; row++) {
            if (times[row] == 0) throw new IllegalStateException("row " + row + " was never worked on");
            if (times[row] > 1 && !inWork.get(row))
                throw new IllegalStateException(
                        "row " + row + " was worked on " + times[row] + " times, and in work at no kill");
            repeats += times[row] - 1;
        }
        return repeats;
    }
}
