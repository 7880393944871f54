package dev.howdah.console.internal.process;

import dev.howdah.console.internal.bulk.BulkRun;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.console.internal.view.StateBadge;
import dev.howdah.console.internal.view.Texts;
import dev.howdah.operations.Role;
import dev.howdah.process.ProcessReader;
import dev.howdah.process.ProcessStatus;
import dev.howdah.process.Request;
import dev.howdah.process.client.ManyProcesses;
import dev.howdah.process.client.ProcessClient;
import dev.howdah.process.query.ProcessQuery;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A change of many processes of a namespace: of those with some ids, or of all that match. Each is asked of their node. */
public record ProcessBulk(Action action, ProcessQuery query) {
    private static final int COUNTED = 10_000;

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

        /** What a caller needs. */
        public Role role() {
            return this == REMOVE ? Role.ADMINISTRATOR : Role.OPERATOR;
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
        long count = ManyProcesses.count(reader, query, COUNTED);
        return count > COUNTED ? null : Long.valueOf(count);
    }

    /** Changes those that have these ids. */
    public void each(BulkRun run, ProcessClient client, List<String> ids) {
        ManyProcesses.of(client, action::ask).each(query.namespace(), ids, changed -> step(run, changed));
    }

    /** Changes all that match, one by one. */
    public void all(BulkRun run, ProcessReader reader, ProcessClient client) {
        ManyProcesses.of(client, action::ask).all(reader, query, changed -> step(run, changed));
    }

    private static boolean step(BulkRun run, boolean changed) {
        return run.more(changed ? 1 : 0, changed ? 0 : 1);
    }
}
