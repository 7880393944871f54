package dev.howdah.console.internal.process;

import dev.howdah.console.internal.bulk.BulkRun;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.console.internal.view.StateBadge;
import dev.howdah.console.internal.view.Texts;
import dev.howdah.process.ProcessException;
import dev.howdah.process.ProcessReader;
import dev.howdah.process.ProcessStatus;
import dev.howdah.process.Request;
import dev.howdah.process.client.ProcessClient;
import dev.howdah.process.query.ProcessPage;
import dev.howdah.process.query.ProcessQuery;
import dev.howdah.process.query.ProcessSummary;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A change of many processes of a namespace: of those with some ids, or of all that match. Each is asked of their node. */
public record ProcessBulk(Action action, ProcessQuery query) {
    private static final int PAGE = 500;
    private static final int COUNTED = 10_000;
    private static final Duration WAIT = Duration.ofSeconds(20);

    /** What is done with each. */
    public enum Action {
        SIMPLE_REPAIR("Repair"),
        REMOVE("Remove");

        private final String label;

        Action(String label) {
            this.label = label;
        }

        /** As buttons and titles have it. */
        public String label() {
            return label;
        }

        /** As forms and requests have it. */
        public String word() {
            return Texts.word(this);
        }

        /** Whether it can be done with processes in that status; null: with some in any. */
        public boolean isFor(@Nullable ProcessStatus status) {
            return this == REMOVE || status == null || status == ProcessStatus.ERROR;
        }

        private void ask(ProcessClient client, Request request) {
            if (this == REMOVE) client.remove(request);
            else client.simpleRepair(request);
        }
    }

    /** Only those that are broken can be repaired. */
    public ProcessBulk {
        query = action == Action.SIMPLE_REPAIR ? query.status(ProcessStatus.ERROR) : query;
    }

    /** All that match, such as {@code all 1,234 broken processes of orders with ids that begin with eu-}. */
    public String words(@Nullable Long count) {
        StringBuilder text = new StringBuilder(Numbers.all(count));
        if (query.status() != null)
            text.append(StateBadge.of(query.status()).word()).append(' ');
        text.append(count != null && count == 1 ? "process of " : "processes of ")
                .append(query.namespace());
        if (!query.prefix().isEmpty()) text.append(" with ids that begin with ").append(query.prefix());
        return text.toString();
    }

    /** How many there are, up to a bound; null: more. */
    public @Nullable Long count(ProcessReader reader) {
        long count = 0;
        for (ProcessQuery next = query.limit(1_000); next != null; ) {
            ProcessPage page = reader.page(next);
            count += page.processes().size();
            if (count > COUNTED) return null;
            next = page.next();
        }
        return count;
    }

    /** Changes those that have these ids. */
    public void each(BulkRun run, ProcessClient client, List<String> ids) {
        for (String id : ids) if (!step(run, change(client, id))) return;
    }

    /** Changes all that match, one by one. */
    public void all(BulkRun run, ProcessReader reader, ProcessClient client) {
        for (ProcessQuery next = query.limit(PAGE); next != null; ) {
            ProcessPage page = reader.page(next);
            for (ProcessSummary each : page.processes()) {
                if (!step(run, change(client, each.id()))) return;
            }
            next = page.next();
        }
    }

    private static boolean step(BulkRun run, boolean changed) {
        return run.more(changed ? 1 : 0, changed ? 0 : 1);
    }

    /**
     * Changes one.
     *
     * @return false if it cannot be changed now
     * @throws ProcessException if nothing answers: the others would not either
     */
    private boolean change(ProcessClient client, String id) {
        try {
            action.ask(client, Request.of(query.namespace(), id).timeout(WAIT));
            return true;
        } catch (ProcessException e) {
            return switch (e.reason()) {
                case TIMEOUT, DATABASE, CLOSED, INTERRUPTED, NAMESPACE_NOT_FOUND -> throw e;
                default -> false;
            };
        }
    }
}
