package dev.howdah.console.internal.api.overview;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.job.query.QueueSummary;
import dev.howdah.task.TaskCounts;
import dev.howdah.task.TaskState;
import java.util.List;

/** Sums of queues, and tables of tasks, as JSON. */
public final class OverviewJson {
    private OverviewJson() {}

    public static ObjectNode table(String name, TaskCounts counts) {
        ObjectNode json = ApiJson.object();
        json.put("table", name);
        ApiJson.count(json, "planned", counts.of(TaskState.PLAN), TaskCounts.MOST_PLANNED);
        json.put("running", ApiJson.number(counts.of(TaskState.WORK) + counts.of(TaskState.TAKE)));
        ObjectNode ended = json.putObject("ended").put("of_newest", TaskCounts.NEWEST);
        ApiJson.count(ended, "done", counts.of(TaskState.DONE), counts.isWhole());
        ApiJson.count(ended, "failed", counts.of(TaskState.FAIL), counts.isWhole());
        ApiJson.count(ended, "gone", counts.of(TaskState.GONE), counts.isWhole());
        ApiJson.count(ended, "stopped", counts.of(TaskState.STOP), counts.isWhole());
        return json;
    }

    /** The sums of all queues. A sum of counts of which one has ended at its bound is no exact one. */
    static ObjectNode jobs(List<QueueSummary> queues) {
        ObjectNode json = ApiJson.object();
        long due = 0;
        long later = 0;
        long failed = 0;
        long running = 0;
        boolean dueExact = true;
        boolean laterExact = true;
        boolean failedExact = true;
        for (QueueSummary each : queues) {
            due += Math.min(each.due(), QueueSummary.COUNTED);
            later += Math.min(each.later(), QueueSummary.COUNTED);
            failed += Math.min(each.failed(), QueueSummary.COUNTED);
            running += each.running();
            dueExact &= each.due() <= QueueSummary.COUNTED;
            laterExact &= each.later() <= QueueSummary.COUNTED;
            failedExact &= each.failed() <= QueueSummary.COUNTED;
        }
        json.putObject("due").put("value", ApiJson.number(due)).put("exact", dueExact);
        json.putObject("later").put("value", ApiJson.number(later)).put("exact", laterExact);
        json.putObject("failed").put("value", ApiJson.number(failed)).put("exact", failedExact);
        json.put("running", ApiJson.number(running));
        return json;
    }
}
