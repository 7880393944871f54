package dev.howdah.console.internal.api.event;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.operation.ItemJson;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleData.TableName;
import dev.howdah.job.query.JobEvent;
import dev.howdah.job.query.JobEvents;
import dev.howdah.operations.listed.JobLists;
import dev.howdah.operations.listed.ProcessLists;
import dev.howdah.operations.listed.TaskLists;
import dev.howdah.operations.read.Installed;
import dev.howdah.process.query.ProcessEvent;
import dev.howdah.process.query.ProcessEvents;
import dev.howdah.process.query.ProcessSummary;
import dev.howdah.task.Task;
import dev.howdah.task.TaskEvents;
import dev.howdah.task.TaskState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Finds what became of single tasks, jobs and processes between two reads, up to a bound: beyond it, only that it were many. For one thread. */
final class ChangeReader {
    /** So many tasks of a table, jobs, or processes, are named by a read. */
    static final int MOST = 1_000;

    private static final int MOST_KNOWN = 20_000;

    private final ConsoleData data;
    private final ItemJson items;
    private final Map<TableName, TaskEvents> tasks = new HashMap<>();
    private final Map<TableName, Map<Long, TaskState>> taskStates = new HashMap<>();
    private final Map<Long, JobEvent> jobs = recent();
    private final Map<List<String>, ProcessSummary> processes = recent();
    private @Nullable JobEvents lastJobs;
    private @Nullable ProcessEvents lastProcesses;
    private boolean hadGap;

    ChangeReader(ConsoleData data, ItemJson items) {
        this.data = data;
        this.items = items;
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
        hadGap |= lastJobs != null || lastProcesses != null || !tasks.isEmpty();
        tasks.clear();
        taskStates.clear();
        jobs.clear();
        processes.clear();
        lastJobs = null;
        lastProcesses = null;
    }

    List<StateEvent> read(Installed installed) {
        List<StateEvent> events = new ArrayList<>();
        List<TableName> tables = data.tables().get();
        for (TableName each : tables) readTasks(each, events);
        tasks.keySet().retainAll(tables);
        taskStates.keySet().retainAll(tables);
        if (installed.jobs()) readJobs(events);
        if (installed.processes()) readProcesses(events);
        hadGap = false;
        return events;
    }

    private void readTasks(TableName table, List<StateEvent> events) {
        TaskEvents before = tasks.get(table);
        TaskEvents now = data.tasks(table).events(before, MOST);
        tasks.put(table, now);
        Map<Long, TaskState> known = taskStates.computeIfAbsent(table, key -> recent());
        TreeSet<Long> changed = new TreeSet<>();
        now.states().forEach((id, state) -> {
            TaskState was = known.put(id, state);
            if (before == null || state == was) return;
            // One that is due soon by now, and that nothing has become of.
            if (was == null && !now.added().contains(id) && state == TaskState.PLAN) return;
            changed.add(id);
        });
        if (before == null ? hadGap : now.hasMore() || changed.size() > MOST) {
            events.add(many(
                    ApiJson.object().put("type", "task").put("table", table.text()),
                    Map.of("table", List.of(table.text()))));
            return;
        }
        if (changed.isEmpty()) return;
        for (Task each : data.tasks(table).listed(changed)) {
            // It may have gone on since then: it is named as it is.
            known.put(each.id(), each.state());
            ObjectNode json = ApiJson.object().put("table", table.text());
            json.setAll(items.listed(TaskLists.LISTED, each));
            json.put("state", word(each.state()));
            events.add(new StateEvent(
                    "task",
                    ApiJson.text(json),
                    Map.of("table", List.of(table.text()), "group", List.of(each.group()))));
        }
    }

    private void readJobs(List<StateEvent> events) {
        JobEvents before = lastJobs;
        JobEvents now = data.jobs().events(before, MOST);
        lastJobs = now;
        List<StateEvent> found = new ArrayList<>();
        for (JobEvent each : now.events()) {
            if (each.equals(jobs.put(each.id(), each))) continue;
            Map<String, List<String>> about = new HashMap<>();
            about.put("queue", List.of(each.queue()));
            about.put("kind", List.of(each.kind()));
            about.put("tag", each.tags());
            String key = each.key();
            if (key != null) about.put("key", List.of(key));
            found.add(new StateEvent("job", ApiJson.text(items.listed(JobLists.EVENT, each)), about));
        }
        if (before == null ? hadGap : now.hasMore() || found.size() > MOST)
            events.add(many(ApiJson.object().put("type", "job"), Map.of()));
        else events.addAll(found);
    }

    private void readProcesses(List<StateEvent> events) {
        ProcessEvents before = lastProcesses;
        ProcessEvents now = data.processes().events(before, MOST);
        lastProcesses = now;
        List<StateEvent> found = new ArrayList<>();
        for (ProcessEvent each : now.processes()) {
            ProcessSummary process = each.process();
            ProcessSummary was = processes.put(List.of(each.namespace(), process.id()), process);
            if (before == null || process.equals(was)) continue;
            ObjectNode json = ApiJson.object().put("namespace", each.namespace());
            json.setAll(items.listed(ProcessLists.LISTED, process));
            found.add(new StateEvent(
                    "process",
                    ApiJson.text(json),
                    Map.of("namespace", List.of(each.namespace()), "process", List.of(process.id()))));
        }
        if (before == null ? hadGap : now.hasMore())
            events.add(many(ApiJson.object().put("type", "process"), Map.of()));
        else events.addAll(found);
    }

    /** @param about what is known of all of them */
    static StateEvent many(ObjectNode json, Map<String, List<String>> about) {
        Map<String, List<String>> all = new HashMap<>(about);
        all.put(EventFilter.TYPE, List.of(json.path("type").asText()));
        return new StateEvent("many", ApiJson.text(json), all);
    }

    private static String word(Enum<?> state) {
        return state.name().toLowerCase(Locale.ROOT);
    }
}
