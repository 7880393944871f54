package dev.howdah.daemon.cli.process;

import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.process.ProcessException;
import dev.howdah.process.ProcessReader;
import dev.howdah.process.Request;
import dev.howdah.process.client.ProcessClient;
import dev.howdah.process.query.ProcessPage;
import dev.howdah.process.query.ProcessQuery;
import dev.howdah.process.query.ProcessSummary;
import java.time.Duration;
import java.util.function.BiConsumer;

/**
 * A change of all processes that meet a filter, one by one: each is asked of the node that works on it.
 *
 * @param action as it is printed
 * @param participle as a sentence has it
 * @param ask of one process
 */
record ProcessChange(String action, String participle, BiConsumer<ProcessClient, Request> ask) {
    private static final int PAGE = 500;
    private static final Duration WAIT = Duration.ofSeconds(20);

    static ProcessChange repair() {
        return new ProcessChange("repair", "repaired", ProcessClient::simpleRepair);
    }

    static ProcessChange remove() {
        return new ProcessChange("remove", "removed", ProcessClient::remove);
    }

    /** Changes them, or only counts them, and prints how many. */
    int all(ProcessTarget target, Terminal terminal, ProcessQuery query, boolean dryRun, boolean json) {
        long changed = 0;
        long left = 0;
        if (dryRun) {
            changed = target.see(reader -> count(reader, query));
        } else {
            long[] counts = target.see(reader -> target.client(client -> change(reader, client, query)));
            changed = counts[0];
            left = counts[1];
        }
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

    private static long count(ProcessReader reader, ProcessQuery query) {
        long count = 0;
        for (ProcessQuery next = query.limit(1_000); next != null; ) {
            ProcessPage page = reader.page(next);
            count += page.processes().size();
            next = page.next();
        }
        return count;
    }

    private long[] change(ProcessReader reader, ProcessClient client, ProcessQuery query) {
        long[] counts = new long[2];
        for (ProcessQuery next = query.limit(PAGE); next != null; ) {
            ProcessPage page = reader.page(next);
            for (ProcessSummary each : page.processes()) counts[isChanged(client, query, each.id()) ? 0 : 1]++;
            next = page.next();
        }
        return counts;
    }

    /** @throws ProcessException if nothing answers: the others would not either */
    private boolean isChanged(ProcessClient client, ProcessQuery query, String id) {
        try {
            ask.accept(client, Request.of(query.namespace(), id).timeout(WAIT));
            return true;
        } catch (ProcessException e) {
            return switch (e.reason()) {
                case TIMEOUT, DATABASE, CLOSED, INTERRUPTED, NAMESPACE_NOT_FOUND -> throw e;
                default -> false;
            };
        }
    }
}
