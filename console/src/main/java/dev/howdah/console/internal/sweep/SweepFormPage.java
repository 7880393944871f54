package dev.howdah.console.internal.sweep;

import dev.howdah.console.internal.form.FormFields;
import dev.howdah.console.internal.page.NotFoundException;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.operations.read.ReadException;
import dev.howdah.sweep.SweepBuilder;
import dev.howdah.sweep.SweepException;
import dev.howdah.sweep.SweepPlan;
import dev.howdah.sweep.SweepProgress;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The form by which a sweep is started: {@code /sweeps/new}, and {@code /sweeps/{name}/start} with the definition of one that there is. Its
 * SQL is what the form says, never what only a table says: a role that may write that table must not get the privileges of the console.
 */
public final class SweepFormPage implements PageController {
    private static final Sql OWNER =
            SqlFile.of(SweepFormPage.class, "sweep-start.sql").statement("table_owner");

    private final SweepLauncher launcher;

    SweepFormPage(SweepLauncher launcher) {
        this.launcher = launcher;
    }

    /**
     * What the template shows.
     *
     * @param path of the form
     * @param isNew whether its name is typed
     * @param needsWork whether the definition does not say what is done with a row
     * @param refusal why it cannot be started; null: nothing speaks against it, or it was not checked
     * @param checked what it would do; null: it was not checked, or something is wrong
     */
    public record Model(
            FormFields fields,
            String path,
            boolean isNew,
            boolean needsWork,
            boolean hasMore,
            @Nullable String refusal,
            @Nullable Checked checked) {
        /** What may be done with a row. */
        public Map<String, String> works() {
            return SweepForm.works();
        }

        public Map<String, String> again() {
            return choices("goes on, with its own :started", "begins a new run: counts from 0");
        }

        public Map<String, String> retry() {
            return choices("are left out", "are tried again");
        }

        public Map<String, String> force() {
            return choices("is refused", "is started all the same");
        }

        private static Map<String, String> choices(String usual, String other) {
            Map<String, String> choices = new LinkedHashMap<>();
            choices.put("", usual);
            choices.put(SweepForm.YES, other);
            return choices;
        }

        /** Whether it would be refused for its plan. */
        public boolean isRefused() {
            return checked != null
                    && !checked.plan().objections().isEmpty()
                    && !fields.text(SweepForm.FORCE).equals(SweepForm.YES);
        }

        public int mostWorkers() {
            return StartedSweeps.MOST_WORKERS;
        }
    }

    /**
     * What a sweep would do.
     *
     * @param role with whose privileges
     * @param foreign the owner of the table, whose triggers would run with these; null: it is the same, or there are no triggers
     */
    public record Checked(
            SweepPlan plan, String role, @Nullable String foreign) {
        /** Such as {@code 1,000 rows}, or {@code about 9.9 million rows}. */
        public String rows() {
            return (plan.isExact() ? "" : "about ")
                    + Numbers.count(plan.rows())
                    + (plan.rows() == 1 ? " row" : " rows");
        }
    }

    /** It counts the rows that match a condition. */
    @Override
    public boolean checkRunsSql() {
        return true;
    }

    @Override
    public Page page(PageRequest request) {
        String name = request.names().get("name");
        return new Page(
                        name == null ? "New sweep" : "Start sweep " + name,
                        Section.SWEEPS,
                        new Part("form", "sweep-form.jte", () -> model(request, name)))
                .still();
    }

    private Model model(PageRequest request, @Nullable String name) {
        SweepProgress there = name == null ? null : launcher.find(name);
        if (name != null && there == null) throw new NotFoundException("There is no sweep \"" + name + "\".");
        if (request.text("check") == null)
            return model(request, there, there == null ? SweepForm.empty() : SweepForm.of(there), null, null);
        SweepForm form = SweepForm.read(request::text, name);
        SweepBuilder builder = form.builder(launcher.started().sessions());
        if (builder == null) return model(request, there, form, null, null);
        try {
            String refusal = launcher.refusal(form);
            Checked checked = refusal == null ? checked(form.check(builder)) : null;
            return model(request, there, form, refusal, checked);
        } catch (SweepException e) {
            return model(request, there, form, SweepForm.said(e), null);
        }
    }

    private Model model(
            PageRequest request,
            @Nullable SweepProgress there,
            SweepForm form,
            @Nullable String refusal,
            @Nullable Checked checked) {
        boolean silent = there != null && there.definition().get(SweepForm.SQL) == null;
        return new Model(form.fields(), request.path(), there == null, silent, form.hasMore(), refusal, checked);
    }

    private Checked checked(SweepPlan plan) {
        try (Connection connection = launcher.started().sessions().getConnection();
                PreparedStatement statement = OWNER.prepare(connection, plan.table());
                ResultSet row = statement.executeQuery()) {
            if (!row.next()) throw new SweepException("the table " + plan.table() + " is gone");
            String owner = row.getString("owner");
            String role = row.getString("runs_as");
            boolean foreign = !owner.equals(role) && row.getLong("triggers") > 0;
            return new Checked(plan, role, foreign ? owner : null);
        } catch (SQLException e) {
            throw new ReadException(e);
        }
    }
}
