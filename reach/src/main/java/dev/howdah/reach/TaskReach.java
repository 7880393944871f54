package dev.howdah.reach;

import dev.howdah.internal.run.Threads;
import dev.howdah.reach.internal.call.Addresses;
import dev.howdah.reach.internal.call.AnswerText;
import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.Credential;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import dev.howdah.reach.internal.call.Scheme;
import dev.howdah.reach.internal.call.Target;
import dev.howdah.reach.internal.call.Trust;
import dev.howdah.reach.internal.document.DocumentScheme;
import dev.howdah.reach.internal.document.TemplateRenderer;
import dev.howdah.reach.internal.exec.ExecScheme;
import dev.howdah.reach.internal.http.HttpScheme;
import dev.howdah.reach.internal.http.RequestTarget;
import dev.howdah.reach.internal.jdbc.JdbcScheme;
import dev.howdah.reach.internal.limit.TargetLimits;
import dev.howdah.reach.internal.limit.TargetRests;
import dev.howdah.reach.internal.mail.MailScheme;
import dev.howdah.reach.internal.ssh.SshScheme;
import dev.howdah.reach.internal.trace.ReachTracing;
import dev.howdah.spi.Metrics;
import dev.howdah.spi.reach.Cancellation;
import dev.howdah.spi.reach.Reach;
import dev.howdah.spi.reach.ReachPermit;
import dev.howdah.spi.reach.ReachResult;
import dev.howdah.spi.reach.ReachTask;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does tasks whose {@code remote} is a target of a scheme, where the {@linkplain ReachSettings settings} allow it. Libraries are loaded by
 * the first task of a scheme. Safe for use by many threads.
 */
public final class TaskReach implements Reach, AutoCloseable {
    /** Where the row has no timeout: nothing waits for ever. */
    public static final Duration TIMEOUT = Duration.ofSeconds(30);

    private static final Logger log = LoggerFactory.getLogger(TaskReach.class);

    private final Addresses addresses;
    private final TemplateRenderer renderer = new TemplateRenderer(() -> this.settings.fonts());
    private final Map<String, Scheme> schemes = new HashMap<>();
    private final ScheduledExecutorService clock = clock();
    private final TargetLimits limits;
    private final TargetRests rests;
    private volatile ReachSettings settings;
    private volatile boolean resting = true;

    public TaskReach(ReachSettings settings) {
        this(settings, InetAddress::getAllByName);
    }

    /** @param resolver of names, another one in tests */
    TaskReach(ReachSettings settings, Addresses.Resolver resolver) {
        this.settings = settings;
        this.addresses = new Addresses(resolver);
        this.limits = new TargetLimits(() -> this.settings.limits(), clock);
        this.rests = new TargetRests(
                clock, (owner, target) -> resting && this.settings.limits().rests(target));
    }

    /** No task waits for a host that could not serve the last ones. To be called before the first task. */
    public TaskReach withoutRests() {
        resting = false;
        return this;
    }

    /** Sets the receiver of metrics: at how many hosts tasks rest. */
    public void metrics(Metrics to) {
        rests.gauge(
                to.gauge("howdah_places_resting", "Hosts that could not serve the last tasks, which rest", Map.of()));
    }

    private static ScheduledExecutorService clock() {
        return Threads.clock("howdah-reach-clock", 1);
    }

    /** From now on these hold, but for the authorities that are trusted; what runs goes on. */
    public void settings(ReachSettings now) {
        settings = now;
        rests.changed();
        limits.changed();
    }

    ReachSettings settings() {
        return settings;
    }

    /** Does that after the time, unless the future is cancelled. */
    ScheduledFuture<?> after(Duration time, Runnable action) {
        return clock.schedule(
                () -> Threads.daemon("howdah-reach-stop", action).start(), time.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public boolean takes(String remote) {
        return Target.hasScheme(remote);
    }

    @Override
    public List<String> schemes() {
        return Target.schemes();
    }

    /** The targets of all tables that use this object are counted together. */
    @Override
    public @Nullable ReachPermit permit(String remote, String owner, @Nullable String firstLine, Runnable room) {
        ReachPermit rested = rests.permit(remote, owner, room);
        if (rested == null) return null;
        ReachPermit limited = limits.permit(remote, firstLine, room);
        if (limited == null) {
            rested.close();
            return null;
        }
        return () -> {
            rested.close();
            limited.close();
        };
    }

    @Override
    public boolean hasRoom(String remote, String owner, @Nullable String firstLine) {
        return rests.hasRoom(remote, owner) && limits.hasRoom(remote, firstLine);
    }

    @Override
    public ReachResult run(ReachTask task, Cancellation cancellation) {
        ReachSettings now = settings;
        List<Credential> used = new ArrayList<>();
        try {
            Target target = RequestTarget.of(Target.of(task.remote()), task.input());
            // A document reaches nothing; its template has to be one that the owner may read.
            if (!target.scheme().equals("howdah")) now.places().check(task.owner(), target);
            Credential credential = now.credentials().of(task.owner(), target);
            if (credential != null) used.add(credential);
            Credential signer = now.credentials().signer(task.owner(), target);
            if (signer != null) used.add(signer);
            boolean privately = now.places().hasLiterally(task.owner(), target)
                    || now.privatePlaces().has(task.owner(), target);
            return hidden(traced(new Run(task, target, credential, signer, privately, cancellation)), used);
        } catch (ReachFailure e) {
            return hidden(e.result(), used);
        }
    }

    /** A run that is allowed. */
    private record Run(
            ReachTask task,
            Target target,
            @Nullable Credential credential,
            @Nullable Credential signer,
            boolean privately,
            Cancellation cancellation) {}

    private static ReachResult hidden(ReachResult end, List<Credential> used) {
        ReachResult hidden = end;
        for (Credential each : used) hidden = hidden(hidden, each);
        return hidden;
    }

    private ReachResult traced(Run run) throws ReachFailure {
        // A document is made here.
        if (run.target().scheme().equals("howdah")) return done(run);
        return ReachTracing.run(run.target(), () -> {
            try {
                return done(run);
            } catch (ReachFailure e) {
                return e.result();
            }
        });
    }

    private ReachResult done(Run run) throws ReachFailure {
        ReachTask task = run.task();
        Target target = run.target();
        Cancellation cancellation = run.cancellation();
        Scheme scheme = scheme(target.scheme());
        Duration time = task.timeout().isZero() ? TIMEOUT : task.timeout();
        Cancellation stop = new Cancellation();
        cancellation.onCancel(stop::cancel);
        AtomicBoolean late = new AtomicBoolean();
        ScheduledFuture<?> end = clock.schedule(
                () -> {
                    late.set(true);
                    Threads.daemon("howdah-reach-stop", stop::cancel).start();
                },
                time.toMillis(),
                TimeUnit.MILLISECONDS);
        long begun = System.nanoTime();
        try {
            String output = scheme.run(
                    new Call(task, target, run.credential(), run.signer(), run.privately(), time.plusSeconds(5), stop));
            rests.answered(task.owner(), target);
            return ReachResult.done(output);
        } catch (ReachFailure | IOException | InterruptedException | RuntimeException e) {
            if (cancellation.isCancelled()) return ReachResult.cancelled("It may have been carried out.");
            if (late.get())
                return ReachResult.failedForNow(
                        Code.LATE.sqlstate(),
                        target + " was not done within " + seconds(time),
                        "It may have been carried out.",
                        Duration.ZERO);
            if (e instanceof ReachFailure failure) {
                judge(task, target, begun, failure);
                throw failure;
            }
            rests.answered(task.owner(), target);
            if (e instanceof IOException)
                return ReachResult.failedForNow(
                        Code.LOST.sqlstate(),
                        "the connection to " + target + " was lost; it may have been carried out",
                        AnswerText.shown(e.getMessage()),
                        Duration.ZERO);
            log.error("task {} could not be done", task.id(), e);
            return ReachResult.failedForNow(
                    Code.INTERNAL.sqlstate(),
                    "the task could not be run: " + e.getClass().getSimpleName(),
                    null,
                    Duration.ZERO);
        } finally {
            end.cancel(false);
        }
    }

    /** What a failure says about the host. */
    private void judge(ReachTask task, Target target, long begun, ReachFailure failure) {
        String why = failure.whyUnavailable();
        if (why != null) rests.unavailable(task.owner(), target, begun, why, failure.retryAfter());
        else if (failure.isAnswered()) rests.answered(task.owner(), target);
    }

    private static String seconds(Duration time) {
        return time.toMillis() % 1000 == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
    }

    synchronized Scheme scheme(String name) throws ReachFailure {
        String kind = switch (name) {
            case "http" -> "https";
            case "smtps" -> "smtp";
            case "sftp" -> "ssh";
            default -> name;
        };
        Scheme scheme = schemes.get(kind);
        if (scheme != null) return scheme;
        Scheme made = switch (kind) {
            case "https" -> {
                Path authorities = settings.authorities();
                yield new HttpScheme(
                        addresses, certificate -> Trust.of(authorities, certificate), () -> settings.proxies());
            }
            case "smtp" ->
                new MailScheme(
                        addresses,
                        Trust.of(settings.authorities()),
                        () -> settings.senders(),
                        () -> settings.dkim(),
                        renderer);
            case "ssh" ->
                new SshScheme(
                        addresses, () -> settings.knownHosts(), () -> settings.places(), () -> settings.legacyPlaces());
            case "howdah" -> new DocumentScheme(renderer);
            case "exec" -> new ExecScheme(() -> settings.programs());
            case "jdbc" -> new JdbcScheme(() -> settings.databases(), () -> settings.drivers());
            default ->
                throw ReachFailure.lasting(
                        Code.SCHEME, "tasks cannot be done at " + name + ": this program has no such scheme");
        };
        schemes.put(kind, made);
        return made;
    }

    /** A receiver may send back what it was sent. */
    private static ReachResult hidden(ReachResult end, Credential credential) {
        return new ReachResult(
                hidden(end.output(), credential),
                end.sqlstate(),
                hidden(end.error(), credential),
                hidden(end.detail(), credential),
                end.hint(),
                end.retries(),
                end.retryAfter(),
                end.cancelled());
    }

    static @Nullable String hidden(@Nullable String text, Credential credential) {
        return text == null ? null : credential.without(text);
    }

    /** Closes what is kept open. */
    @Override
    public synchronized void close() {
        clock.shutdownNow();
        schemes.values().forEach(Scheme::close);
        schemes.clear();
        renderer.close();
    }
}
