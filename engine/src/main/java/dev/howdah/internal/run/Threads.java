package dev.howdah.internal.run;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Threads for work that mostly waits: virtual ones where the JDK has them, daemon threads elsewhere. */
public final class Threads {
    private static final @Nullable MethodHandle VIRTUAL = virtual();

    private Threads() {}

    /** An executor that gives each piece of work a thread of its own. The caller shuts it down. */
    public static ExecutorService perTask(String name) {
        if (VIRTUAL != null) {
            try {
                return (ExecutorService) VIRTUAL.invokeExact();
            } catch (Throwable e) {
                throw new IllegalStateException("this JDK promises virtual threads but gives none", e);
            }
        }
        AtomicInteger number = new AtomicInteger();
        return Executors.newCachedThreadPool(work -> daemon(name + "-" + number.incrementAndGet(), work));
    }

    /** A thread that does not keep the program alive; not started yet. */
    public static Thread daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    private static @Nullable MethodHandle virtual() {
        try {
            return MethodHandles.publicLookup()
                    .findStatic(
                            Executors.class,
                            "newVirtualThreadPerTaskExecutor",
                            MethodType.methodType(ExecutorService.class));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return null; // before JDK 21
        }
    }
}
