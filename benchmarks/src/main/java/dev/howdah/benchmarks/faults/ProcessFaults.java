package dev.howdah.benchmarks.faults;

import dev.howdah.benchmarks.faults.ProcessHistory.Told;
import dev.howdah.benchmarks.faults.ProcessNode.Order;
import dev.howdah.process.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Processes under fire: two nodes, which run jobs as well, work what callers ask, and one of them is killed, stopped or frozen all the
 * time.
 */
final class ProcessFaults implements AutoCloseable {
    /** The callers and two nodes. A dead node stays in the table until another one has seen that it is dead. */
    private static final int PROGRAMS = 3;

    private static final int CALLERS = 6;
    private static final int TICKERS = 10;
    private static final int FROZEN_MILLIS = 11_000;
    private static final Duration READY = Duration.ofSeconds(60);

    private final TestBed bed;
    private final List<long[]> frozen = new ArrayList<>();
    private final List<ProcessCaller> callers = new ArrayList<>();

    private ProcessFaults(TestBed bed) {
        this.bed = bed;
    }

    /** In a fresh directory, which stays if anything is found. */
    static ProcessFaults open(long seed) throws IOException {
        return new ProcessFaults(TestBed.open("processes", ProcessNode.class, seed));
    }

    /** Where all logs are. */
    Path directory() {
        return bed.directory();
    }

    /**
     * Kills nodes, so many times, and does other harm in between; then waits until all has come to rest.
     *
     * @param freezes whether nodes are also frozen past their death notice
     * @return figures; {@code complaints} among them are what contradicts the promises
     */
    Map<String, Object> play(int kills, boolean freezes) throws Exception {
        List<String> complaints = new ArrayList<>();
        AtomicLong numbers = new AtomicLong();
        JobEffects effects = new JobEffects(bed);
        startNode();
        startNode();
        try (Processes client = Processes.on(bed.source()).nodeName("callers").start()) {
            ProcessCaller first = new ProcessCaller(client, bed.seed(), numbers);
            callers.add(first);
            for (String namespace : List.of(ProcessNode.ONCE, ProcessNode.AGAIN, ProcessNode.TICK))
                for (int i = 0; i < (namespace.equals(ProcessNode.TICK) ? TICKERS : 12); i++)
                    first.ask(namespace, "shared-" + i, client::init);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                ProcessCaller caller = new ProcessCaller(client, bed.seed() + i + 1, numbers);
                callers.add(caller);
                threads.add(new Thread(caller, "caller-" + i));
            }
            threads.add(new Thread(effects, "producer"));
            threads.forEach(Thread::start);
            for (int i = 1; i <= kills; i++) {
                TestBed.pause(bed.chance(400));
                if (i % 5 == 0) stop(complaints);
                if (i % 3 == 0) freeze(20 + bed.chance(600));
                if (freezes && i % 10 == 0) freeze(FROZEN_MILLIS + bed.chance(2_000));
                bed.killNode();
                startNode();
            }
            callers.forEach(ProcessCaller::over);
            effects.over();
            for (Thread each : threads) each.join();
            for (int i = 0; i < TICKERS; i++)
                first.ask(ProcessNode.TICK, "shared-" + i, new Order(numbers.incrementAndGet(), 0, true), client::call);
            if (!comesToRest()) complaints.add("it does not come to rest");
            if (bed.number("SELECT count(*) FROM howdah_internal.node WHERE features @> '{job,process}'") != 2)
                complaints.add("a program with both features is not one node");
        }
        bed.stopNodes(complaints);
        if (bed.number("SELECT count(*) FROM howdah_internal.node") != 0) complaints.add("nodes are left behind");
        return prove(effects, complaints);
    }

    private Map<String, Object> prove(JobEffects effects, List<String> complaints) throws SQLException, IOException {
        List<Told> told = callers.stream().flatMap(each -> each.told().stream()).toList();
        ProcessChecker checker = new ProcessChecker(ProcessHistory.read(bed.source(), bed.files(), told), complaints);
        checker.check();
        Map<String, Object> counts = new LinkedHashMap<>(checker.counts());
        effects.check(counts, complaints);
        counts.put("longest_gap_ms", checker.longestGap(frozen));
        return bed.figures("processes", counts, complaints);
    }

    /** Waits until it works: there is always one. */
    private void startNode() throws IOException {
        Path file = bed.startNode();
        long until = System.nanoTime() + READY.toNanos();
        while (!Files.exists(file) || Files.size(file) == 0) {
            if (System.nanoTime() - until > 0) throw new IllegalStateException("no node starts: " + file);
            TestBed.pause(5);
        }
    }

    private void stop(List<String> complaints) throws IOException, InterruptedException {
        if (!bed.stopNode()) complaints.add("a node does not stop");
        startNode();
    }

    private void freeze(int millis) throws IOException, InterruptedException, SQLException {
        long from = now();
        bed.freezeNode(millis);
        frozen.add(new long[] {from, now()});
    }

    private long now() throws SQLException {
        return bed.number("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint");
    }

    private boolean comesToRest() throws SQLException {
        return bed.comesToRest(
                        "SELECT count(*) FROM howdah_internal.process WHERE node IS NOT NULL OR due_at IS NOT NULL OR queued > 0",
                        READY)
                && bed.comesToRest(JobEffects.left(), READY)
                && bed.comesToRest("SELECT greatest(count(*) - " + PROGRAMS + ", 0) FROM howdah_internal.node", READY);
    }

    /** Ends everything; if nothing was found nothing stays. */
    @Override
    public void close() throws InterruptedException, IOException {
        callers.forEach(ProcessCaller::over);
        bed.close();
    }
}
