package dev.howdah.reach;

import dev.howdah.reach.internal.call.AnswerText;
import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.Credential;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import dev.howdah.reach.internal.call.ReachPlaces;
import dev.howdah.reach.internal.call.Target;
import dev.howdah.reach.internal.probe.Probe;
import dev.howdah.reach.internal.probe.ProbeSteps;
import dev.howdah.spi.reach.Cancellation;
import dev.howdah.spi.reach.ReachDocuments;
import dev.howdah.spi.reach.ReachTask;
import dev.howdah.spi.reach.RowFormat;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Tries whether tasks of a role reach a target, without a task. Safe for use by many threads; it is to be closed. */
public final class ReachProbe implements AutoCloseable {
    private static final RowFormat NO_ROWS = new RowFormat(true, true, "\t", "", "", "");

    private final TaskReach reach;

    public ReachProbe(ReachSettings settings) {
        this.reach = new TaskReach(settings);
    }

    /**
     * Says whether the settings allow it: by which place, with which credential, and whether private addresses are allowed. Connects to
     * nothing.
     *
     * @param remote as it would stand in the row of a task
     * @return the steps in their order; the last one has failed if a task would
     */
    public List<ReachStep> check(String owner, String remote) {
        ProbeSteps steps = new ProbeSteps();
        permitted(owner, remote, steps);
        return shown(steps);
    }

    /**
     * Does the same, and then connects as a task would: looks up the name, opens a connection, secures it, compares the key of the host and
     * logs in. No request, mail, command, statement or file is sent, and no program is started.
     *
     * @param timeout of all of it, positive
     * @return the steps in their order; the last one has failed if a task would
     */
    public List<ReachStep> test(String owner, String remote, Duration timeout) throws InterruptedException {
        ProbeSteps steps = new ProbeSteps();
        Permit permit = permitted(owner, remote, steps);
        if (permit == null || permit.target().scheme().equals("howdah")) return shown(steps);
        load(permit.target());
        Cancellation cancellation = new Cancellation();
        AtomicBoolean late = new AtomicBoolean();
        ScheduledFuture<?> end = reach.after(timeout, () -> {
            late.set(true);
            cancellation.cancel();
        });
        try {
            if (reach.scheme(permit.target().scheme()) instanceof Probe probe)
                probe.probe(call(owner, remote, timeout, permit, cancellation), steps);
        } catch (ReachFailure e) {
            failed(
                    steps,
                    permit,
                    late.get() ? overdue(timeout) : text(e),
                    e.result().hint());
        } catch (IOException e) {
            String said = late.get() ? overdue(timeout) : AnswerText.shown(e.getMessage());
            failed(steps, permit, said == null ? "the connection was lost" : said, null);
        } catch (InterruptedException e) {
            if (!late.get()) throw e;
            failed(steps, permit, overdue(timeout), null);
        } finally {
            end.cancel(false);
        }
        return shown(steps);
    }

    /** The libraries of a scheme, which the time that is given is not for. */
    private void load(Target target) {
        try {
            reach.scheme(target.scheme());
        } catch (ReachFailure e) {
            // It fails once more where the step says so.
        }
    }

    private static String overdue(Duration timeout) {
        return "it was not done within " + timeout.toSeconds() + " s";
    }

    /** @param credential null where the remote names none */
    private record Permit(Target target, @Nullable Credential credential, boolean privately) {}

    private @Nullable Permit permitted(String owner, String remote, ProbeSteps steps) {
        ReachSettings settings = reach.settings();
        try {
            steps.begin("target");
            if (!Target.hasScheme(remote))
                throw ReachFailure.lasting(
                        Code.ADDRESS,
                        "\"" + AnswerText.shown(remote) + "\" is a remote PostgreSQL, or has no scheme"
                                + " that tasks reach: https, http, smtp, smtps, ssh, sftp, jdbc, exec");
            Target target = Target.of(remote);
            steps.done(target.toString());
            if (target.scheme().equals("howdah")) {
                steps.skipped("place", "a document reaches nothing");
                return new Permit(target, null, false);
            }
            steps.begin("place");
            settings.places().check(owner, target);
            steps.done(place(settings.places().entry(owner, target)));
            steps.begin("credential");
            Credential credential = settings.credentials().of(owner, target);
            if (credential == null) steps.skipped("credential", "none is named");
            else
                steps.done("\"" + credential.name() + "\", "
                        + credential.kind().name().toLowerCase(Locale.ROOT));
            Credential signer = settings.credentials().signer(owner, target);
            if (signer != null) {
                steps.begin("signature");
                steps.done("\"" + signer.name() + "\", " + signer.kind().name().toLowerCase(Locale.ROOT));
            }
            boolean privately = settings.places().hasLiterally(owner, target)
                    || settings.privatePlaces().has(owner, target);
            if (target.port() != 0) {
                steps.begin("private");
                steps.done("private addresses are " + (privately ? "allowed" : "refused"));
            }
            return new Permit(target, credential, privately);
        } catch (ReachFailure e) {
            steps.failed(text(e), e.result().hint());
            return null;
        }
    }

    private static String place(ReachPlaces.@Nullable Entry entry) {
        if (entry == null) return "";
        return entry.place()
                + (entry.owners().isEmpty() ? " of every role" : " of " + String.join(", ", entry.owners()));
    }

    private static Call call(String owner, String remote, Duration timeout, Permit permit, Cancellation cancellation) {
        ReachTask task =
                new ReachTask(0, remote, "", owner, "", timeout, "howdah-probe", 1, NO_ROWS, ReachDocuments.none());
        return new Call(
                task, permit.target(), permit.credential(), permit.privately(), timeout.plusSeconds(5), cancellation);
    }

    private static void failed(ProbeSteps steps, Permit permit, String detail, @Nullable String hint) {
        Credential credential = permit.credential();
        steps.failed(credential == null ? detail : String.valueOf(TaskReach.hidden(detail, credential)), hint);
    }

    private static String text(ReachFailure e) {
        String detail = e.result().detail();
        return e.getMessage() + (detail == null ? "" : ": " + detail);
    }

    private static List<ReachStep> shown(ProbeSteps steps) {
        return steps.all().stream()
                .map(each -> new ReachStep(
                        each.name(), ReachStep.Outcome.valueOf(each.outcome().name()), each.detail(), each.hint()))
                .toList();
    }

    /** Closes what a try has left open. */
    @Override
    public void close() {
        reach.close();
    }
}
