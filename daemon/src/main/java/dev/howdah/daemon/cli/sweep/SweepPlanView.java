package dev.howdah.daemon.cli.sweep;

import dev.howdah.daemon.console.Times;
import dev.howdah.internal.error.PlainText;
import dev.howdah.sweep.SweepPlan;
import dev.howdah.sweep.SweepRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The result of a dry run, in words and as JSON. */
final class SweepPlanView {
    private static final int LONGEST_ROW = 200;

    private final SweepPlan plan;

    SweepPlanView(SweepPlan plan) {
        this.plan = plan;
    }

    Map<String, @Nullable Object> fields() {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("table", plan.table());
        fields.put("rows", plan.rows());
        fields.put("exact", plan.isExact());
        fields.put("skipped", plan.skipped());
        fields.put("started", plan.started());
        fields.put("ended", plan.ended());
        fields.put("first", plan.first().stream().map(SweepRow::json).toList());
        fields.put("sql", plan.sql());
        fields.put("plan", plan.plan());
        fields.put("locks", plan.locks());
        fields.put("locks_free", plan.locksFree());
        fields.put("objections", plan.objections());
        return fields;
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("rows to do: " + (plan.isExact() ? "" : "about ") + SweepWatch.count(plan.rows()) + " of "
                + plan.table());
        if (plan.skipped() > 0)
            lines.add("of these " + SweepWatch.count(plan.skipped())
                    + " have failed before and are skipped; --retry-failed tries them again");
        String former = former();
        if (former != null) lines.add(former);
        lines.add("locks at most: " + SweepWatch.count(plan.locks()) + ", of " + SweepWatch.count(plan.locksFree())
                + " that are free");
        if (!plan.first().isEmpty()) lines.add("the first rows:");
        for (SweepRow row : plan.first()) lines.add("  " + PlainText.of(cut(row.json())));
        if (!plan.sql().isEmpty()) lines.add("statements of each batch:");
        for (String statement : plan.sql())
            PlainText.of(statement.strip()).lines().forEach(line -> lines.add("  " + line));
        lines.add("rows would be read so:");
        plan.plan().forEach(line -> lines.add("  " + line));
        return lines;
    }

    private static String cut(String row) {
        return row.length() <= LONGEST_ROW ? row : row.substring(0, LONGEST_ROW) + " ...";
    }

    private @Nullable String former() {
        if (plan.started() == null) return null;
        return ":started is " + Times.local(plan.started()) + ", when the sweep of that name began"
                + (plan.ended() == null ? "" : "; it ended at " + Times.local(plan.ended()) + ", --again begins anew");
    }
}
