package dev.howdah.daemon.cli.job;

import dev.howdah.daemon.cli.ListOptions;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Listing;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.internal.error.PlainText;
import dev.howdah.job.query.JobAttempt;
import dev.howdah.job.query.JobLogLine;
import dev.howdah.job.query.JobProgress;
import dev.howdah.job.query.JobStep;
import dev.howdah.job.query.JobSummary;
import dev.howdah.job.wait.JobChild;
import dev.howdah.job.wait.SentSignal;
import dev.howdah.operations.list.ListModel;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Prints jobs as the library gives them. */
record JobPrinter(JobQueries queries, Terminal terminal) {
    private static final Listing<Found> ALL = new Listing<Found>()
            .number("id", found -> found.job().id())
            .text("state", found -> ListModel.word(found.job().state()))
            .text("queue", found -> found.job().queue())
            .text("kind", found -> found.job().kind())
            .number("priority", found -> found.job().priority())
            .number("attempt", found -> found.job().attempt())
            .text("key", found -> found.job().key())
            .text("created", found -> found.job().created())
            .text("run_at", found -> found.job().runAt())
            .text("begun", found -> found.job().begun())
            .text("ended", found -> found.job().ended())
            .number("node", found -> found.job().node())
            .text("progress", found -> found.progress().map(JobPrinter::done).orElse(null))
            .text("message", found -> found.progress().map(JobProgress::message).orElse(null))
            .text("error", found -> found.job().error())
            .text("result", found -> document(found.job().result()))
            .text("payload", found -> document(found.job().payload()))
            .text("tags", found -> tags(found.job()))
            .text("metadata", found -> document(found.job().metadata()));

    private static final Listing<JobAttempt> ATTEMPTS = new Listing<JobAttempt>()
            .number("attempt", JobAttempt::number)
            .text("kind", JobAttempt::kind)
            .text("outcome", attempt -> attempt.result().name().toLowerCase(Locale.ROOT))
            .number("node", JobAttempt::node)
            .text("begun", JobAttempt::begun)
            .text("ended", JobAttempt::ended)
            .text("error", attempt -> firstLine(attempt.error()));

    private static final Listing<JobStep> STEPS = new Listing<JobStep>()
            .text("step", JobStep::name)
            .text("kind", JobStep::kind)
            .number("attempt", JobStep::attempt)
            .text("at", JobStep::at)
            .text("result", step -> document(step.result()));

    private static final int MOST_SIGNALS = 1_000;

    private static final Listing<SentSignal> SIGNALS = new Listing<SentSignal>()
            .text("signal", SentSignal::name)
            .text("sender", SentSignal::sender)
            .text("sent", SentSignal::sent)
            .text("read", SentSignal::read)
            .text("payload", signal -> document(signal.payload()))
            .text("problem", SentSignal::problem);

    private static final int MOST_CHILDREN = 10_000;

    private static final Listing<JobChild> CHILDREN = new Listing<JobChild>()
            .text("child", JobChild::name)
            .number("number", JobChild::number)
            .number("id", JobChild::id)
            .text("kind", JobChild::kind)
            .text("state", JobChild::state)
            .text("error", JobChild::error);

    private static final Listing<JobLogLine> LOG = new Listing<JobLogLine>()
            .text("at", JobLogLine::at)
            .number("attempt", JobLogLine::attempt)
            .text("line", JobLogLine::line);

    /** A job and how far it is. */
    private record Found(JobSummary job, Optional<JobProgress> progress) {}

    private static @Nullable String firstLine(@Nullable String text) {
        return text == null ? null : text.split("\n", 2)[0];
    }

    private static @Nullable Object tags(JobSummary job) {
        return job.tags().isEmpty() ? null : job.tags();
    }

    private static Json.@Nullable Document document(@Nullable String json) {
        return json == null ? null : new Json.Document(json);
    }

    private static String done(JobProgress progress) {
        return BigDecimal.valueOf(progress.done()).stripTrailingZeros().toPlainString();
    }

    /** Prints all that is known of a job, and the attempts that the history still has. */
    void show(long id, boolean json) {
        JobSummary job = queries.find(id);
        Map<String, @Nullable Object> fields = ALL.fields(new Found(job, queries.admin(admin -> admin.progress(id))));
        List<JobStep> steps = queries.admin(admin -> admin.steps(id));
        List<SentSignal> signals = queries.admin(admin -> admin.signals(id, MOST_SIGNALS));
        List<JobChild> children = queries.admin(admin -> admin.children(id, MOST_CHILDREN));
        OptionalLong parent = queries.admin(admin -> admin.parent(id));
        if (parent.isPresent()) fields.put("parent", parent.getAsLong());
        if (json) {
            fields.put("children", children.stream().map(CHILDREN::fields).toList());
            fields.put("attempts", attempts(id).stream().map(ATTEMPTS::fields).toList());
            fields.put("steps", steps.stream().map(STEPS::fields).toList());
            fields.put("signals", signals.stream().map(SIGNALS::fields).toList());
            terminal.out().println(Json.line(fields));
            return;
        }
        fields.forEach((name, value) -> {
            String text = Listing.shown(value);
            if (text != null)
                terminal.out().printf("%-8s %s%n", name, PlainText.of(text).replace("\n", "\n         "));
        });
        if (job.attempt() > 0) ATTEMPTS.print(terminal, false, attempts(id));
        if (!steps.isEmpty()) STEPS.print(terminal, false, steps);
        if (!signals.isEmpty()) SIGNALS.print(terminal, false, signals);
        if (!children.isEmpty()) CHILDREN.print(terminal, false, children);
    }

    private List<JobAttempt> attempts(long id) {
        return queries.admin(admin -> admin.attempts(id));
    }

    int log(ListOptions options, long id, int most) {
        queries.find(id);
        return options.print(terminal, LOG, () -> queries.admin(admin -> admin.log(id, most)));
    }
}
