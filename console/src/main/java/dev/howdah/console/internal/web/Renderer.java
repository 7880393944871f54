package dev.howdah.console.internal.web;

import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.api.Problems;
import dev.howdah.console.internal.mask.MaskedOutput;
import dev.howdah.console.internal.operation.ChangeRefusedException;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.NotFoundException;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.View;
import dev.howdah.console.internal.signal.SignalPages;
import dev.howdah.console.internal.view.CellLabels;
import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes HTML of parts and pages. Safe for use by many threads. */
public final class Renderer {
    private static final Logger log = LoggerFactory.getLogger(Renderer.class);

    private final AccessSettings access;
    private final TemplateEngine engine =
            TemplateEngine.createPrecompiled(null, ContentType.Html, Renderer.class.getClassLoader());

    public Renderer(AccessSettings access) {
        this.access = access;
    }

    /**
     * What a part shows instead, where its data cannot be had.
     *
     * @param isUnreachable whether there is no connection to the database
     */
    public record Problem(String sentence, @Nullable String remedy, boolean isUnreachable) {
        Problem(String sentence) {
            this(sentence, null, false);
        }
    }

    /**
     * Reads and renders a part. An error of the database becomes the text of the part.
     *
     * @throws NotFoundException if its object does not exist
     */
    String part(View view, Part part) {
        return part(view, part, problem -> {});
    }

    /** @param problems is given the problem that is shown instead */
    String part(View view, Part part, Consumer<Problem> problems) {
        Object model;
        try {
            model = part.model().get();
        } catch (NotFoundException | BadRequestException e) {
            throw e;
        } catch (RuntimeException e) {
            Problem problem = problem(e);
            problems.accept(problem);
            return render("problem.jte", view, problem);
        }
        return render(part.template(), view, model);
    }

    private String render(String template, View view, Object model) {
        StringOutput output = new StringOutput();
        boolean masked = !access.unmasked().contains(view.role());
        UnaryOperator<String> mask = masked ? access.masker()::text : UnaryOperator.identity();
        engine.render(template, Map.of("view", view, "model", model), new MaskedOutput(output, mask));
        String hidden = view.request().text("hide");
        return CellLabels.in(output.toString(), hidden == null ? Set.of() : Set.copyOf(List.of(hidden.split(","))));
    }

    String page(Layout layout) {
        StringOutput output = new StringOutput();
        engine.render("layout.jte", layout, new MaskedOutput(output, UnaryOperator.identity()));
        return output.toString();
    }

    String login(LoginPage page) {
        StringOutput output = new StringOutput();
        engine.render("login.jte", page, new MaskedOutput(output, UnaryOperator.identity()));
        return output.toString();
    }

    String signal(SignalPages.Shown page) {
        StringOutput output = new StringOutput();
        engine.render("signal.jte", page, new MaskedOutput(output, UnaryOperator.identity()));
        return output.toString();
    }

    /** What is said about an error of the database. */
    static Problem problem(RuntimeException error) {
        if (error instanceof ChangeRefusedException refused) return new Problem(String.valueOf(refused.getMessage()));
        SQLException cause = null;
        for (Throwable each = error; each != null; each = each.getCause())
            if (each instanceof SQLException sql) cause = sql;
        if (cause == null) {
            log.warn("a part of a page cannot be shown", error);
            return new Problem("This part cannot be shown; the log of the console says why.");
        }
        String state = String.valueOf(cause.getSQLState());
        String message = String.valueOf(cause.getMessage()).strip();
        if (state.equals("57014"))
            return new Problem("The database took longer than 2 s for this. A narrower filter may help.");
        if (state.equals("42501")) return new Problem("A privilege is missing: " + message);
        if (Problems.isUnreachable(cause))
            return new Problem("No connection to the database: " + message + " It is tried again.", null, true);
        return new Problem(message);
    }
}
