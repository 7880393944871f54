package dev.howdah.internal.run;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Collection;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The threads of the engine: platform threads for user code unless a program asks for others, virtual ones for work that only waits. */
public final class Threads {
    private static final int LONGEST_NAME = 60;
    private static final @Nullable MethodHandle VIRTUAL = virtual();

    private Threads() {}

    /** Makes threads for user code, whose names begin so. */
    @FunctionalInterface
    public interface Maker {
        ThreadFactory named(String prefix);
    }

    /** An executor for work of the engine that mostly waits: a virtual thread for each piece of it, where the JDK has them. The caller shuts it down. */
    public static ExecutorService perTask(String name) {
        if (VIRTUAL != null) {
            try {
                return (ExecutorService) VIRTUAL.invokeExact();
            } catch (Throwable e) {
                throw new IllegalStateException("this JDK promises virtual threads but gives none", e);
            }
        }
        return Executors.newCachedThreadPool(platform(name));
    }

    /** A thread that does not keep the program alive; not started yet. */
    public static Thread daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Makes platform threads that do not keep the program alive: {@code prefix-1} and so on. */
    public static ThreadFactory platform(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return work -> daemon(prefix + "-" + number.incrementAndGet(), work);
    }

    /**
     * Makes virtual threads, {@code prefix-1} and so on.
     *
     * @throws UnsupportedOperationException before JDK 21
     */
    public static ThreadFactory virtual(String prefix) {
        requireVirtual();
        try {
            // By reflection: the engine is compiled for JDK 17.
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            type.getMethod("name", String.class, long.class).invoke(builder, prefix + "-", 1L);
            return (ThreadFactory) type.getMethod("factory").invoke(builder);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JDK promises virtual threads but gives none", e);
        }
    }

    /** @throws UnsupportedOperationException if this JDK has no virtual threads */
    public static void requireVirtual() {
        if (VIRTUAL == null)
            throw new UnsupportedOperationException("virtual threads need JDK 21 or later, this is " + Runtime.version()
                    + ": leave out virtualThreads() to use platform threads");
    }

    /** What threads are called that work for all of these: {@code feature-name}, or {@code feature-name+name}, not too long. */
    public static String prefix(String feature, Collection<String> names) {
        String all = String.join("+", names.stream().sorted().toList()).replaceAll("\\p{Cntrl}", "_");
        return feature + "-" + (all.length() <= LONGEST_NAME ? all : all.substring(0, LONGEST_NAME) + "...");
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
