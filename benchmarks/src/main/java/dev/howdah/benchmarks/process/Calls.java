package dev.howdah.benchmarks.process;

import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import javax.sql.DataSource;

/** How long a call takes on a process that has nothing else to do. */
final class Calls {
    private final DataSource source;

    Calls(DataSource source) {
        this.source = source;
    }

    /** Milliseconds of each of so many calls, one after the other, to as many processes as there are calls up to 100. */
    double[] run(int calls) {
        String name = "calls " + System.nanoTime();
        Namespace namespace = Namespace.of(
                name, (task, process) -> Intent.none().event("called").response("answer"));
        try (Processes worker = Processes.on(source).namespace(namespace).start()) {
            int processes = Math.min(calls, 100);
            for (int i = 0; i < processes; i++) worker.init(name, "p" + i, null);
            double[] millis = new double[calls];
            for (int i = 0; i < calls; i++) {
                long began = System.nanoTime();
                worker.call(name, "p" + i % processes, "question");
                millis[i] = (System.nanoTime() - began) / 1e6;
            }
            return millis;
        }
    }
}
