package dev.howdah.reach.job;

import dev.howdah.internal.run.Threads;
import dev.howdah.internal.text.Sha256;
import dev.howdah.job.FatalException;
import dev.howdah.job.Handler;
import dev.howdah.job.Job;
import dev.howdah.reach.ReachSettings;
import dev.howdah.reach.TaskReach;
import dev.howdah.reach.internal.trace.ReachTracing;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.spi.reach.Cancellation;
import dev.howdah.spi.reach.FirstLine;
import dev.howdah.spi.reach.ReachDocument;
import dev.howdah.spi.reach.ReachDocuments;
import dev.howdah.spi.reach.ReachPermit;
import dev.howdah.spi.reach.ReachResult;
import dev.howdah.spi.reach.ReachTask;
import dev.howdah.spi.reach.RowFormat;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Handlers of jobs that reach out, where the {@linkplain ReachSettings settings} allow it: requests, mails, commands by SSH and PDFs. They do the
 * same as tasks with a {@code remote}. The methods with a job are for handlers of one's own.
 *
 * <pre>{@code
 * try (ReachJobs reach = ReachJobs.of(ReachSettings.of(List.of("https://api.example/v1/*")));
 *         Jobs jobs = Jobs.on(source).handle(HttpJob.KIND, reach.http()).start()) {
 *     jobs.add(HttpJob.KIND, HttpJob.post("https://api.example/v1/charges", "{\"cents\": 1990}"));
 * }
 * }</pre>
 *
 * <p>What may pass, such as a server that does not answer, fails the attempt, and the retry policy decides; what would fail again, such as a
 * status of 404 or a recipient that is refused, fails the job for good. A job may be done more than once: see the key of {@link HttpJob}. An
 * interrupt closes the connection. Safe for use by many threads.
 */
public final class ReachJobs implements AutoCloseable {
    /** As which owner jobs are judged by places and credentials that have owners, unless another one is named. */
    public static final String OWNER = "jobs";

    /** A longer body does not become a part of the result. */
    private static final int LARGEST_RESULT = 65_536;

    private static final Duration STOPPED = Duration.ofSeconds(5);
    private static final String MESSAGE_ID = "\nMessage-ID: ";
    private static final RowFormat NO_ROWS = new RowFormat(true, true, "\t", "", "", "\\N");

    private final TaskReach reach;
    private final String owner;
    private final Templates templates;
    private final ExecutorService threads =
            Executors.newCachedThreadPool(work -> Threads.daemon("howdah-reach-job", work));

    private ReachJobs(TaskReach reach, String owner, Templates templates) {
        this.reach = reach;
        this.owner = owner;
        this.templates = templates;
    }

    /** For jobs without templates, as the owner {@link #OWNER}. */
    public static ReachJobs of(ReachSettings settings) {
        return of(settings, OWNER, Templates.none());
    }

    /** @param owner as which jobs are judged by places and credentials that have owners */
    public static ReachJobs of(ReachSettings settings, String owner, Templates templates) {
        return new ReachJobs(new TaskReach(settings).withoutRests(), owner, templates);
    }

    /** From now on these hold, but for the authorities that are trusted; what runs goes on. */
    public void settings(ReachSettings now) {
        reach.settings(now);
    }

    /**
     * Returns a policy that waits as that one does, but not shorter than {@link ReachException#retryAfter}. The kinds here have it; a handler with
     * another policy needs it again.
     */
    public static RetryPolicy patient(RetryPolicy policy) {
        return (attempt, failure) -> {
            Optional<Duration> delay = policy.delay(attempt, failure);
            return failure instanceof ReachException reached
                    ? delay.map(d -> d.compareTo(reached.retryAfter()) > 0 ? d : reached.retryAfter())
                    : delay;
        };
    }

    /** Sends the request. The result of the job is the {@link HttpAnswer}, without a body of more than 65,536 characters. */
    public Handler<HttpJob> http() {
        return (request, job) -> {
            HttpAnswer answer = send(request, job);
            String body = answer.body();
            boolean small = (body == null ? 0 : body.length()) + (answer.bytes() == null ? 0 : answer.bytes().length)
                    <= LARGEST_RESULT;
            job.result(small ? answer : answer.withoutBody());
        };
    }

    /** Sends the mail. The result of the job is the {@link MailAnswer}. */
    public Handler<MailJob> mail() {
        return (mail, job) -> job.result(send(mail, job));
    }

    /** Runs the command. The result of the job is its output, the last 65,536 characters of it. */
    public Handler<SshJob> ssh() {
        return (command, job) -> {
            String output = run(command, job);
            job.result(output.substring(Math.max(0, output.length() - LARGEST_RESULT)));
        };
    }

    /**
     * Makes the document, and gives it to that handler, which keeps it.
     *
     * @param receiver called again where the job is tried again
     */
    public Handler<PdfJob> pdf(Handler<ReachDocument> receiver) {
        return (document, job) -> receiver.handle(render(document, job), job);
    }

    /**
     * Sends a request.
     *
     * @param job the one whose handler this is, which gives it its key
     * @throws ReachException if another attempt may help
     * @throws FatalException if none would
     */
    public HttpAnswer send(HttpJob request, Job job) throws InterruptedException {
        JobDocuments documents = new JobDocuments(Templates.none(), ReachInput.files(request));
        return ReachInput.answer(done(ReachInput.of(request), request.timeout(), job, documents));
    }

    /**
     * Sends a mail.
     *
     * @param job the one whose handler this is, which gives it its Message-ID
     * @throws ReachException if another attempt may help
     * @throws FatalException if none would
     */
    public MailAnswer send(MailJob mail, Job job) throws InterruptedException {
        String output = done(ReachInput.of(mail), mail.timeout(), job, new JobDocuments(templates));
        int at = output.lastIndexOf(MESSAGE_ID);
        return new MailAnswer(output.substring(0, at), output.substring(at + MESSAGE_ID.length()));
    }

    /**
     * Runs a command, and returns what it has written, up to 1 MiB.
     *
     * @throws ReachException if the host cannot be reached, or the exit code is not 0
     * @throws FatalException if another attempt would fail in the same way
     */
    public String run(SshJob command, Job job) throws InterruptedException {
        return done(ReachInput.of(command), command.timeout(), job, ReachDocuments.none());
    }

    /**
     * Makes a document, in a process of its own.
     *
     * @throws ReachException if another attempt may help
     * @throws FatalException if none would
     */
    public ReachDocument render(PdfJob document, Job job) throws InterruptedException {
        if (templates.find(document.template()) == null)
            throw new FatalException("there is no template \"" + document.template() + "\"");
        JobDocuments documents = new JobDocuments(templates);
        done(ReachInput.of(document), document.timeout(), job, documents);
        return documents.made();
    }

    private String done(ReachInput input, @Nullable Duration timeout, Job job, ReachDocuments documents)
            throws InterruptedException {
        if (timeout != null && (timeout.isNegative() || timeout.isZero()))
            throw new FatalException("a timeout of " + timeout + " is no time: it has to be longer than zero");
        ReachTask task = new ReachTask(
                job.id(),
                input.remote(),
                input.text(),
                owner,
                job.queue(),
                timeout == null ? Duration.ZERO : timeout,
                key(job, input),
                job.attempt(),
                NO_ROWS,
                documents);
        ReachResult end;
        try (ReachPermit permit = permit(task)) {
            end = run(task);
        }
        if (end.error() == null) return end.output() == null ? "" : end.output();
        StringBuilder message = new StringBuilder(end.error());
        if (end.detail() != null) message.append(": ").append(end.detail());
        if (end.hint() != null) message.append(". ").append(end.hint());
        if (end.retries()) throw new ReachException(message.toString(), end.retryAfter());
        throw new FatalException(message.toString());
    }

    /** Waits until the target takes one more. */
    private ReachPermit permit(ReachTask task) throws InterruptedException {
        while (true) {
            CountDownLatch room = new CountDownLatch(1);
            ReachPermit permit =
                    reach.permit(task.remote(), owner, FirstLine.of(task.remote(), task.input()), room::countDown);
            if (permit != null) return permit;
            room.await();
        }
    }

    /** In another thread, since what waits for a socket is not interrupted. */
    private ReachResult run(ReachTask task) throws InterruptedException {
        Cancellation cancellation = new Cancellation();
        Future<ReachResult> run = threads.submit(ReachTracing.carried(() -> reach.run(task, cancellation)));
        try {
            return run.get();
        } catch (ExecutionException e) {
            throw failed(e);
        } catch (InterruptedException e) {
            cancellation.cancel();
            try {
                ReachResult end = run.get(STOPPED.toSeconds(), TimeUnit.SECONDS);
                if (end.error() == null) return end;
            } catch (ExecutionException | TimeoutException late) {
                e.addSuppressed(late);
            }
            throw e;
        }
    }

    private static RuntimeException failed(ExecutionException e) {
        if (e.getCause() instanceof RuntimeException unchecked) return unchecked;
        if (e.getCause() instanceof Error error) throw error;
        return new IllegalStateException(e);
    }

    /** The same in all attempts, and in no other job: ids come again in another database, and after a restore. */
    private static String key(Job job, ReachInput input) {
        String all = String.join(
                "\0", job.queue(), job.kind(), job.createdAt().toString(), input.remote(), input.identity());
        return "howdah-job-" + job.id() + "-" + Sha256.hex(all, 12);
    }

    /** Closes what is kept open. To be called when the jobs are closed. */
    @Override
    public void close() {
        threads.shutdownNow();
        reach.close();
    }
}
