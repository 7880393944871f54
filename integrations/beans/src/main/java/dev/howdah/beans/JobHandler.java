package dev.howdah.beans;

import dev.howdah.job.Job;
import dev.howdah.job.Outcome;
import io.micronaut.context.annotation.Executable;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.sql.Connection;

/**
 * A method of a bean that handles the jobs of a kind, in an application of Quarkus or Micronaut.
 *
 * <pre>{@code
 * @JobHandler("welcome")
 * void welcome(Welcome payload, Job job) {
 *     mail(payload.email());
 * }
 * }</pre>
 *
 * <p>Its parameters are, in any order: one of any other type, which is that of the payload; none, for jobs without a payload; a {@link Job}; if
 * it is {@link #transactional}, a {@link Connection}. It returns nothing, an {@link Outcome}, or the result of the job. What it throws fails the attempt.
 * It is not private.
 *
 * <p>Attributes that are texts may have placeholders such as <code>${mail.queue}</code>.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Executable
public @interface JobHandler {
    /** The name of the kind. A constant {@code Kind} of that name of {@link #kinds}, or a bean, says the rest of it once for the handler and for what adds its jobs. */
    String value();

    /**
     * The class with the constant {@code Kind} of that name, such as {@code Orders.class} with {@code static final Kind<Confirmation> CONFIRM = Kind.of("confirm",
     * Confirmation.class).queue("mails")}. The type of the payload, the queue, the retry policy and the timeout are those of the constant; the application does not start if
     * the method or an attribute says something else. Defaults to none: a bean of that name, if there is one.
     */
    Class<?> kinds() default void.class;

    /** The name of the data source with the jobs. Defaults to the one that the application injects without a name. */
    String dataSource() default "";

    /**
     * The queue from which the node claims. The {@code Kind} that adds the jobs has to name it, too: {@code
     * Kind.of("welcome", Welcome.class).queue("mails")}. Defaults to that of the {@code Kind}, or to {@code default}.
     */
    String queue() default "";

    /** The maximum number of attempts, the first included. Defaults to zero: as the {@code Kind}, or {@code howdah.jobs.attempts}, says. */
    int attempts() default 0;

    /** The delay of the second attempt, such as {@code 10s}; each further one is twice as long. Defaults to that of the {@code Kind}, of a bean {@code RetryPolicy}, or to a second. */
    String backoff() default "";

    /** The longest delay, where {@link #backoff} is set. Defaults to an hour. */
    String longestBackoff() default "";

    /** Exceptions after which no further attempt is made, their subclasses included. */
    Class<? extends Throwable>[] noRetryFor() default {};

    /** The maximum run time of one attempt, such as {@code 30s} or {@code 5m}. Defaults to that of the {@code Kind}, or to {@code howdah.jobs.timeout}. */
    String timeout() default "";

    /**
     * The maximum number of its jobs that run at the same time, on all nodes together. It is written to the database when the application starts, and
     * stays there. Defaults to zero, which leaves the limit that the database has.
     */
    int limit() default 0;

    /** Names that the kind had before, whose jobs it handles too. Defaults to those of the {@code Kind}. */
    String[] formerly() default {};

    /** The priority of jobs that its schedules add, from -100 to 100; lower runs first. Defaults to zero: that of the {@code Kind}. */
    int priority() default 0;

    /** The tags of jobs that its schedules add. Defaults to those of the {@code Kind}. */
    String[] tags() default {};

    /** The version of the handler, for jobs that wait, as {@code HandlerOptions.handlerVersion} says. Defaults to none. */
    String version() default "";

    /** Earlier versions whose jobs it goes on with. */
    String[] alsoRuns() default {};

    /**
     * Whether it runs in the job's own transaction: what it and the beans that it calls write in the transaction of the framework commits together with
     * the end of the job, exactly once. Defaults to no.
     */
    boolean transactional() default false;
}
