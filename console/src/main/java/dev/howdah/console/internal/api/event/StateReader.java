package dev.howdah.console.internal.api.event;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.operation.ItemJson;
import dev.howdah.console.internal.api.overview.OverviewJson;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleData.TableName;
import dev.howdah.job.query.QueueSummary;
import dev.howdah.operations.listed.NodeLists;
import dev.howdah.operations.listed.ProcessLists;
import dev.howdah.operations.listed.QueueLists;
import dev.howdah.operations.listed.SweepLists;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.operations.read.Installed;
import dev.howdah.operations.read.Node;
import dev.howdah.process.query.NamespaceSummary;
import dev.howdah.sweep.SweepProgress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the state of all objects that events tell of. Safe for use by many threads. */
final class StateReader {
    private static final int USUAL_STATEMENTS = 7;

    private final ConsoleData data;
    private final EngineReads queries;
    private final ItemJson items;

    StateReader(ConsoleData data, ItemJson items) {
        this.data = data;
        this.queries = data.reads();
        this.items = items;
    }

    /** How many statements reading costs. */
    int statements() {
        return USUAL_STATEMENTS + data.tables().get().size();
    }

    static StateEvent database(boolean reachable) {
        return event("database", ApiJson.object().put("reachable", reachable));
    }

    static EventLog.Key databaseKey() {
        return new EventLog.Key("database", "");
    }

    /** Which features have tables. */
    Installed installed() {
        return queries.installed();
    }

    Map<EventLog.Key, StateEvent> read(Installed installed) {
        Map<EventLog.Key, StateEvent> state = new LinkedHashMap<>();
        state.put(databaseKey(), database(true));
        List<TableName> tables = data.tables().get();
        for (TableName each : tables)
            put(
                    state,
                    "tasks",
                    each.text(),
                    OverviewJson.table(each.text(), data.tasks(each).counts()));
        if (installed.jobs())
            for (QueueSummary each : data.jobs().queues())
                put(state, "queue", each.name(), items.whole(QueueLists.QUEUE_ITEM, each));
        for (Node each : queries.nodes(installed))
            put(state, "node", Integer.toString(each.id()), items.whole(NodeLists.NODE, each));
        if (installed.processes())
            for (NamespaceSummary each : data.processes().namespaces())
                put(state, "namespace", each.name(), items.whole(ProcessLists.NAMESPACE_ITEM, each));
        if (installed.sweeps())
            for (SweepProgress each : data.sweeps().list())
                put(state, "sweep", each.name(), items.listed(SweepLists.SWEEP, each));
        return state;
    }

    private static void put(Map<EventLog.Key, StateEvent> state, String type, String name, ObjectNode json) {
        EventLog.Key key = new EventLog.Key(type, name);
        state.put(key, new StateEvent(type, ApiJson.text(json), key.about()));
    }

    private static StateEvent event(String type, ObjectNode json) {
        return new StateEvent(type, ApiJson.text(json));
    }
}
