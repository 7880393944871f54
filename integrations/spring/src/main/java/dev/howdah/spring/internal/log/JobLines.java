package dev.howdah.spring.internal.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.AppenderBase;
import dev.howdah.job.Handler;
import dev.howdah.job.Job;
import dev.howdah.job.JobsException;
import dev.howdah.job.Outcome;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Puts the lines that a handler logs in its thread into the log of its job, too, with Logback. Safe for use by many threads. */
public final class JobLines implements Handler.Interceptor, AutoCloseable {
    private final ThreadLocal<@Nullable Job> running = new ThreadLocal<>();
    private final Lines lines;
    private final Logger root;

    private JobLines(LoggerContext context, Level least) {
        this.lines = new Lines(least);
        this.root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        lines.setContext(context);
        lines.setName("howdah job lines");
        lines.start();
        root.addAppender(lines);
    }

    /**
     * Begins.
     *
     * @param least the name of the lowest level
     * @throws IllegalStateException if SLF4J has another provider
     */
    public static JobLines of(String least) {
        if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context))
            throw new IllegalStateException("howdah.jobs.log-level needs Logback, and SLF4J has another provider: "
                    + LoggerFactory.getILoggerFactory().getClass().getName());
        return new JobLines(context, Level.toLevel(least));
    }

    @Override
    public Outcome handle(@Nullable Object payload, Job job, Handler.Next next) throws Exception {
        running.set(job);
        try {
            return next.proceed();
        } finally {
            running.remove();
        }
    }

    @Override
    public void close() {
        root.detachAppender(lines);
        lines.stop();
    }

    private final class Lines extends AppenderBase<ILoggingEvent> {
        private final Level least;

        Lines(Level least) {
            this.least = least;
        }

        @Override
        protected void append(ILoggingEvent event) {
            Job job = running.get();
            if (job == null || !event.getLevel().isGreaterOrEqual(least)) return;
            IThrowableProxy thrown = event.getThrowableProxy();
            String cause = thrown == null ? "" : ": " + thrown.getClassName() + ": " + thrown.getMessage();
            try {
                job.log(event.getLevel() + " " + event.getFormattedMessage() + cause);
            } catch (JobsException e) {
                // The handler was abandoned: what it says counts for nothing.
                running.remove();
            }
        }
    }
}
