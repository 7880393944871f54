package dev.howdah.internal.run;

import org.jspecify.annotations.Nullable;

/** The state of this thread, for user code that may change it: closed, the thread has its name, priority and class loader again. */
public final class ThreadState implements AutoCloseable {
    private final Thread thread = Thread.currentThread();
    private final String name = thread.getName();
    private final int priority = thread.getPriority();
    private final @Nullable ClassLoader loader = thread.getContextClassLoader();

    @Override
    public void close() {
        if (!thread.getName().equals(name)) thread.setName(name);
        if (thread.getPriority() != priority) thread.setPriority(priority);
        if (thread.getContextClassLoader() != loader) thread.setContextClassLoader(loader);
    }
}
