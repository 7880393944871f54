package dev.howdah.daemon.console;

import java.io.FileOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * The wishes of the outside that this process should end. The first one asks for a clean stop, after which the
 * process ends by itself with exit code 0; the second one does not wait for that.
 */
public final class Signals {
    private static final int HURRY_EXIT_BASE = 128;
    private static final long LAST_SECONDS = 60;

    private final AtomicInteger count = new AtomicInteger();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Map<Signal, SignalHandler> former = new HashMap<>();
    private volatile int first;
    private @Nullable Thread hook;

    private Signals() {}

    /**
     * Takes over SIGTERM, SIGINT and SIGHUP. Whatever else ends the JVM is held up until {@link #stopped}.
     *
     * @param stop asks for the clean stop; called at most once, from any thread
     * @param reload called for each SIGHUP, but for that of a terminal that is closed: that one stops
     * @param hurry called just before the process is halted
     */
    public static Signals on(Runnable stop, Runnable reload, Runnable hurry) {
        Signals signals = new Signals();
        for (String name : List.of("TERM", "INT")) {
            signals.handle(name, signal -> {
                if (signals.count.incrementAndGet() == 1) {
                    signals.first = signal.getNumber();
                    stop.run();
                } else {
                    hurry.run();
                    Runtime.getRuntime().halt(HURRY_EXIT_BASE + signal.getNumber());
                }
            });
        }
        boolean atTerminal = hasTerminal();
        signals.handle("HUP", signal -> {
            if (!atTerminal || hasTerminal()) {
                reload.run();
            } else if (signals.count.getAndIncrement() == 0) {
                signals.first = signal.getNumber();
                stop.run();
            }
        });
        Thread last = new Thread(() -> signals.lastMoments(stop), "howdah-stop");
        Runtime.getRuntime().addShutdownHook(last);
        signals.hook = last;
        return signals;
    }

    private void handle(String name, SignalHandler handler) {
        Signal signal;
        try {
            signal = new Signal(name);
        } catch (IllegalArgumentException e) {
            // Windows has no SIGHUP.
            return;
        }
        former.put(signal, Signal.handle(signal, handler));
    }

    /** The exit code for the signal that asked the program to stop; 0: there was none. */
    public int exitCode() {
        return first == 0 ? 0 : HURRY_EXIT_BASE + first;
    }

    /** Everything is as it was before, for a program that goes on. */
    public void release() {
        stopped();
        former.forEach(Signal::handle);
        try {
            if (hook != null) Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The program is ending.
        }
    }

    /** Returns whether there is a terminal that controls this process, and that has not been closed. */
    private static boolean hasTerminal() {
        try (FileOutputStream terminal = new FileOutputStream("/dev/tty")) {
            return terminal.getFD().valid();
        } catch (IOException e) {
            return false;
        }
    }

    private void lastMoments(Runnable stop) {
        if (stopped.getCount() == 0) return;
        if (count.getAndIncrement() == 0) stop.run();
        try {
            if (!stopped.await(LAST_SECONDS, TimeUnit.SECONDS)) return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Everything is closed: the process may end. */
    public void stopped() {
        stopped.countDown();
    }
}
