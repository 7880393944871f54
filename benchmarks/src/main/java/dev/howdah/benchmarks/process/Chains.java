package dev.howdah.benchmarks.process;

import dev.howdah.process.Action;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.ProcessImport;
import dev.howdah.process.Processes;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;

/** Chains of immediate steps with one event each: a timer that sets the next one, on and on. */
final class Chains {
    /** How many bytes an event has. */
    static final int PAYLOAD = 100;

    private final DataSource source;

    Chains(DataSource source) {
        this.source = source;
    }

    /** Steps per second that were committed, while steps are done for so long. */
    double run(int processes, long nanos) throws InterruptedException {
        LongAdder steps = new LongAdder();
        CountDownLatch ended = new CountDownLatch(processes);
        long[] window = new long[2];
        byte[] payload = new byte[PAYLOAD];
        String name = "chains " + System.nanoTime();
        Namespace namespace = Namespace.builder(name, (task, process) -> {
                    Intent intent = Intent.none().event((Object) payload);
                    // Each step but the first says that the one before it is committed.
                    if (process.lastEventId() > 0) steps.increment();
                    if (window[1] == 0 || System.nanoTime() - window[1] < 0) return intent.then(Action.timeout());
                    ended.countDown();
                    return intent;
                })
                .concurrency(Math.min(processes, 1_000))
                .build();
        try (Processes worker = Processes.on(source).namespace(namespace).start()) {
            for (int i = 0; i < processes; i++)
                worker.importProcess(ProcessImport.of(name, "p" + i, List.of()).timer(Action.timeout(Duration.ZERO)));
            window[0] = System.nanoTime();
            long before = steps.sum();
            window[1] = window[0] + nanos;
            ended.await();
            return (steps.sum() - before) / ((System.nanoTime() - window[0]) / 1e9);
        }
    }
}
