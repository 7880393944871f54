package dev.howdah.daemon.cli.process;

import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.process.Request;
import dev.howdah.process.client.ManyProcesses;
import dev.howdah.process.client.ProcessClient;
import dev.howdah.process.query.ProcessQuery;
import java.util.function.BiConsumer;

/**
 * A change of all processes that meet a filter, one by one: each is asked of the node that works on it.
 *
 * @param action as it is printed
 * @param participle as a sentence has it
 * @param ask of one process
 */
record ProcessChange(String action, String participle, BiConsumer<ProcessClient, Request> ask) {
    static ProcessChange repair() {
        return new ProcessChange("repair", "repaired", ProcessClient::simpleRepair);
    }

    static ProcessChange remove() {
        return new ProcessChange("remove", "removed", ProcessClient::remove);
    }

    /** Changes them, or only counts them, and prints how many. */
    int all(ProcessTarget target, Terminal terminal, ProcessQuery query, boolean dryRun, boolean json) {
        long[] counts = new long[2];
        if (dryRun) counts[0] = target.see(reader -> ManyProcesses.count(reader, query, Long.MAX_VALUE));
        else
            target.see(reader -> target.client(client -> {
                ManyProcesses.of(client, ask).all(reader, query, changed -> ++counts[changed ? 0 : 1] > 0);
                return counts;
            }));
        long changed = counts[0];
        long left = counts[1];
        if (json)
            terminal.out()
                    .println(Json.line(
                            Json.fields("action", action, "processes", changed, "unchanged", left, "dry_run", dryRun)));
        else terminal.out().println(said(changed, left, dryRun));
        return 0;
    }

    private String said(long changed, long left, boolean dryRun) {
        String said = changed + (changed == 1 ? " process " : " processes ");
        if (dryRun) return said + (changed == 1 ? "meets the filter" : "meet the filter");
        return said
                + (changed == 1 ? "was " : "were ")
                + participle
                + (left == 0 ? "" : "; " + left + " could not be changed");
    }
}
