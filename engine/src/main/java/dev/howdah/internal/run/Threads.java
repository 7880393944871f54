package dev.howdah.internal.run;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of Howdah, all made here: platform threads for user code unless a program asks for others, virtual ones for work that only waits.
 *
 * <p>What a thread does not catch is logged. After an {@link Error}, such as a lack of memory or a missing class, a program that is Howdah alone
 * {@linkplain #onError ends}; within another program a {@link #loop} begins again.
 */
public final class Threads {
    private static final int LONGEST_NAME = 60;
    private static final long AGAIN_MILLIS = 1_000;
    private static final Thread.UncaughtExceptionHandler UNCAUGHT = (thread, e) -> failed(e);
    private static final @Nullable MethodHandle VIRTUAL = virtual();
    private static final Map<Thread, String> LOOPS = new ConcurrentHashMap<>();

    private static volatile Consumer<Error> program = e -> {};

    /** Not made before the first failure: a program that makes threads has yet to set up its log. */
    private static final class Log {
        private static final Logger log = LoggerFactory.getLogger(Threads.class);
    }

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
                return (ExecutorService) VIRTUAL.invokeExact(virtual(name));
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
        thread.setUncaughtExceptionHandler(UNCAUGHT);
        return thread;
    }

    /** The same without what the thread that makes it would pass on ({@link InheritableThreadLocal}). */
    public static Thread apart(String name, Runnable work) {
        Thread thread = new Thread(null, work, name, 0, false);
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler(UNCAUGHT);
        return thread;
    }

    /**
     * A thread as of {@link #daemon} whose work returns only when it is closed or interrupted: whatever it throws is logged, and it begins again after
     * a second.
     */
    public static Thread loop(String name, Runnable work) {
        return daemon(name, () -> {
            Thread self = Thread.currentThread();
            LOOPS.put(self, "");
            while (!ranToItsEnd(work)) {
                if (pause()) continue;
                self.interrupt();
                break;
            }
            LOOPS.remove(self);
        });
    }

    private static boolean ranToItsEnd(Runnable work) {
        try {
            work.run();
            return true;
        } catch (Throwable e) {
            LOOPS.put(Thread.currentThread(), e.getClass().getName());
            failed(e);
            return false;
        }
    }

    /** Waits before a loop begins again; false if it was interrupted. */
    private static boolean pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(AGAIN_MILLIS);
            LOOPS.put(Thread.currentThread(), "");
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    /** Why not all {@linkplain #loop loops} of this program do their work: one has ended by an error, or is about to begin again after one; null: all do. */
    public static @Nullable String brokenLoop() {
        for (Map.Entry<Thread, String> each : LOOPS.entrySet()) {
            String name = each.getKey().getName();
            if (!each.getKey().isAlive()) return "the thread " + name + " has ended";
            if (!each.getValue().isEmpty())
                return "the thread " + name + " begins again after an error: " + each.getValue();
        }
        return null;
    }

    /**
     * A clock with threads of that name. What its work throws is logged; work that is repeated goes on. The caller shuts it down, or lets its threads
     * end while there is nothing to do.
     */
    public static ScheduledThreadPoolExecutor clock(String name, int threads) {
        ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(threads, work -> daemon(name, work)) {
            @Override
            public ScheduledFuture<?> schedule(Runnable work, long delay, TimeUnit unit) {
                return super.schedule(logged(work), delay, unit);
            }

            @Override
            public ScheduledFuture<?> scheduleWithFixedDelay(Runnable work, long first, long pause, TimeUnit unit) {
                return super.scheduleWithFixedDelay(logged(work), first, pause, unit);
            }
        };
        clock.setRemoveOnCancelPolicy(true);
        return clock;
    }

    private static Runnable logged(Runnable work) {
        return () -> {
            try {
                work.run();
            } catch (Throwable e) {
                failed(e);
            }
        };
    }

    /** This program is Howdah alone: {@code ends} is called after an error in a thread of its own, in that thread, and ends the program. */
    public static void onError(Consumer<Error> ends) {
        program = ends;
    }

    /** That was thrown in this thread, where only what is known beforehand is caught; it is logged, never thrown again. */
    public static void failed(Throwable e) {
        try {
            if (e instanceof Error error) program.accept(error);
            Log.log.error("thread {} has failed", Thread.currentThread().getName(), e);
        } catch (Throwable another) {
            // There is no memory for more: what called this goes on.
        }
    }

    /** Those of a loop that goes on after errors, and has logged this one: a program that is Howdah alone ends. */
    public static void survived(Throwable e) {
        if (e instanceof Error error) program.accept(error);
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
            type.getMethod("uncaughtExceptionHandler", Thread.UncaughtExceptionHandler.class)
                    .invoke(builder, UNCAUGHT);
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
                            "newThreadPerTaskExecutor",
                            MethodType.methodType(ExecutorService.class, ThreadFactory.class));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return null; // before JDK 21
        }
    }
}
