package dev.howdah.benchmarks.faults;

import dev.howdah.benchmarks.faults.ProcessHistory.Told;
import dev.howdah.benchmarks.faults.ProcessNode.Order;
import dev.howdah.process.ProcessException;
import dev.howdah.process.Processes;
import dev.howdah.process.Request;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Asks processes all the time, those of others too, and keeps in mind what it was told. */
final class ProcessCaller implements Runnable {
    private static final int PROCESSES = 12;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final Processes processes;
    private final Random random;
    private final AtomicLong numbers;
    private final List<Told> told = new CopyOnWriteArrayList<>();
    private volatile boolean over;

    /** @param processes a node that works nothing */
    ProcessCaller(Processes processes, long seed, AtomicLong numbers) {
        this.processes = processes;
        this.random = new Random(seed);
        this.numbers = numbers;
    }

    List<Told> told() {
        return told;
    }

    void over() {
        over = true;
    }

    @Override
    public void run() {
        while (!over) {
            String namespace = random.nextBoolean() ? ProcessNode.ONCE : ProcessNode.AGAIN;
            if (random.nextInt(20) == 0) {
                ask(namespace, "new-" + numbers.incrementAndGet(), processes::init);
                continue;
            }
            String id = "shared-" + random.nextInt(PROCESSES);
            String reason = ask(namespace, id, processes::call);
            if (reason.equals("zombie detected") || reason.equals("process is error")) repair(namespace, id);
        }
    }

    /** Somebody may have been faster. */
    private void repair(String namespace, String id) {
        String reason = "";
        do reason = ask(namespace, id, processes::repair);
        while (reason.equals("zombie detected"));
    }

    /** Returns why it failed; empty: it did not. */
    String ask(String namespace, String id, Consumer<Request> operation) {
        Order order = new Order(numbers.incrementAndGet(), random.nextInt(8) == 0 ? random.nextInt(60) : 0, false);
        return ask(namespace, id, order, operation);
    }

    String ask(String namespace, String id, Order order, Consumer<Request> operation) {
        String reason = "";
        try {
            operation.accept(Request.of(namespace, id).args(order).timeout(PATIENCE));
        } catch (ProcessException e) {
            reason = e.getMessage();
        }
        // Whoever repairs what is well already has asked for nothing.
        if (!reason.equals("process is running")) told.add(new Told(namespace + "/" + id, order.n(), reason));
        return reason;
    }
}
