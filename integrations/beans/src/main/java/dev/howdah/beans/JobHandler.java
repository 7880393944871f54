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
    /** The name of the kind. A bean {@code Kind} of that name gives the queue, the retry policy and the timeout that are not set here. */
    String value();

    /** The name of the data source with the jobs. Defaults to the one that the application injects without a name. */
    String dataSource() default "";

    /**
     * The queue from which the node claims. The {@code Kind} that adds the jobs has to name it, too: {@code
     * Kind.of("welcome", Welcome.class).queue("mails")}. Defaults to that of the bean {@code Kind}, or to {@code default}.
     */
    String queue() default "";

    /** The maximum number of attempts, the first included. Defaults to zero: as the bean {@code Kind}, or {@code howdah.jobs.attempts}, says. */
    int attempts() default 0;

    /** The maximum run time of one attempt, such as {@code 30s} or {@code 5m}. Defaults to that of the bean {@code Kind}, or to {@code howdah.jobs.timeout}. */
    String timeout() default "";

    /**
     * The maximum number of its jobs that run at the same time, on all nodes together. It is written to the database when the application starts, and
     * stays there. Defaults to zero, which leaves the limit that the database has.
     */
    int limit() default 0;

    /**
     * Whether it runs in the job's own transaction: what it and the beans that it calls write in the transaction of the framework commits together with
     * the end of the job, exactly once. Defaults to no.
     */
    boolean transactional() default false;
}
