package dev.howdah.console.internal.api.event;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleData.TableName;
import dev.howdah.job.query.JobEvent;
import dev.howdah.job.query.JobEvents;
import dev.howdah.task.TaskEvents;
import dev.howdah.task.TaskState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds what became of single tasks and jobs between two reads, up to a bound: beyond it, only that it were many. For one thread. */
final class ChangeReader {
    /** So many tasks of a table, or jobs, are named by a read. */
    static final int MOST = 64;

    private static final int MOST_KNOWN = 2_000;

    private final ConsoleData data;
    private final Map<TableName, TaskEvents> tasks = new HashMap<>();
    private final Map<TableName, Map<Long, TaskState>> taskStates = new HashMap<>();
    private final Map<Long, JobEvent> jobs = recent();
    private @Nullable JobEvents lastJobs;
    private boolean hadGap;

    ChangeReader(ConsoleData data) {
        this.data = data;
    }

    private static <K, V> Map<K, V> recent() {
        return new LinkedHashMap<>() {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > MOST_KNOWN;
            }
        };
    }

    /** Nothing is read for a while: the next read says of all that there were many changes. */
    void pause() {
        hadGap |= lastJobs != null || !tasks.isEmpty();
        tasks.clear();
        taskStates.clear();
        jobs.clear();
        lastJobs = null;
    }

    /** @param hasJobs whether there are tables of jobs */
    List<StateEvent> read(boolean hasJobs) {
        List<StateEvent> events = new ArrayList<>();
        List<TableName> tables = data.tables().get();
        for (TableName each : tables) readTasks(each, events);
        tasks.keySet().retainAll(tables);
        taskStates.keySet().retainAll(tables);
        if (hasJobs) readJobs(events);
        hadGap = false;
        return events;
    }

    private void readTasks(TableName table, List<StateEvent> events) {
        TaskEvents before = tasks.get(table);
        TaskEvents now = data.tasks(table).events(before, MOST);
        tasks.put(table, now);
        Map<Long, TaskState> known = taskStates.computeIfAbsent(table, key -> recent());
        List<StateEvent> found = new ArrayList<>();
        now.states().entrySet().stream().sorted(Map.Entry.comparingByKey()).forEach(each -> {
            TaskState state = known.put(each.getKey(), each.getValue());
            if (before == null || each.getValue() == state) return;
            // One that is due soon by now, and that nothing has become of.
            if (state == null && each.getKey() <= before.lastId() && each.getValue() == TaskState.PLAN) return;
            ObjectNode json = ApiJson.object().put("table", table.text());
            ApiJson.put(json, "id", each.getKey().longValue());
            found.add(new StateEvent("task", ApiJson.text(json.put("state", word(each.getValue())))));
        });
        if (before == null ? hadGap : now.hasMore() || found.size() > MOST)
            events.add(many(ApiJson.object().put("type", "task").put("table", table.text())));
        else events.addAll(found);
    }

    private void readJobs(List<StateEvent> events) {
        JobEvents before = lastJobs;
        JobEvents now = data.jobs().events(before, MOST);
        lastJobs = now;
        List<StateEvent> found = new ArrayList<>();
        for (JobEvent each : now.events()) {
            if (each.equals(jobs.put(each.id(), each))) continue;
            ObjectNode json = ApiJson.object();
            ApiJson.put(json, "id", each.id());
            found.add(new StateEvent(
                    "job",
                    ApiJson.text(json.put("queue", each.queue())
                            .put("kind", each.kind())
                            .put("state", word(each.state())))));
        }
        if (before == null ? hadGap : now.hasMore())
            events.add(many(ApiJson.object().put("type", "job")));
        else events.addAll(found);
    }

    private static StateEvent many(ObjectNode json) {
        return new StateEvent("many", ApiJson.text(json));
    }

    private static String word(Enum<?> state) {
        return state.name().toLowerCase(Locale.ROOT);
    }
}
