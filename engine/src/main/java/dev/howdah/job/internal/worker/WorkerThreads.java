package dev.howdah.job.internal.worker;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;

/**
 * The threads of workers.
 *
 * @param executor runs a worker for as long as there is work for it
 * @param lent whether they are threads of the program: a worker without work gives its thread back
 */
public record WorkerThreads(Executor executor, boolean lent) {
    /** Makes the threads of a node, whose names begin so. */
    @FunctionalInterface
    public interface Maker {
        WorkerThreads named(String prefix);
    }

    /** Threads that that factory makes. */
    public static WorkerThreads of(ThreadFactory factory) {
        return new WorkerThreads(
                work -> {
                    Thread thread = factory.newThread(work);
                    if (thread == null) throw new RejectedExecutionException("the thread factory has made no thread");
                    thread.start();
                },
                false);
    }

    /** Threads of an executor of the program. */
    public static WorkerThreads lent(Executor executor) {
        return new WorkerThreads(
                work -> {
                    Task task = new Task(work);
                    executor.execute(task);
                    task.isHandedOver = true;
                },
                true);
    }

    /** A worker that refuses to run in the thread that has started it: a claimer would claim no more. */
    private static final class Task implements Runnable {
        private final Runnable work;
        private final Thread starter = Thread.currentThread();
        /** Read and written by the starter only, unless another thread runs the task. */
        private boolean isHandedOver;

        Task(Runnable work) {
            this.work = work;
        }

        @Override
        public void run() {
            if (Thread.currentThread() == starter && !isHandedOver)
                throw new RejectedExecutionException(
                        "the executor of JobsBuilder.executor runs tasks in the thread that"
                                + " calls it: it has to run them in threads of its own");
            work.run();
        }
    }
}
