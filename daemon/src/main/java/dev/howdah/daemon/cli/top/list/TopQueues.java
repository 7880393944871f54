package dev.howdah.daemon.cli.top.list;

import dev.howdah.health.Cause;
import dev.howdah.job.query.QueueSummary;
import dev.howdah.operations.Engine;
import dev.howdah.operations.change.QueueOperations;
import dev.howdah.operations.listed.QueueLists;
import dev.howdah.operations.shape.FieldType;
import java.util.List;
import java.util.Optional;

/** The queues of jobs by name. */
public final class TopQueues extends TopList<QueueSummary> {
    public TopQueues(Engine engine) {
        super(
                engine,
                QueueLists.QUEUES,
                QueueLists.QUEUE_ITEM.of("state", FieldType.TEXT, "on or paused", TopQueues::state),
                "name due later:2 running failed:1 done_last_hour:3 oldest:1 state");
    }

    private static String state(QueueSummary queue) {
        if (queue.paused() != null) return "paused" + (queue.pausedBy() == null ? "" : " by " + queue.pausedBy());
        return queue.pausedKinds().isEmpty() ? "on" : "paused: " + String.join(", ", queue.pausedKinds());
    }

    @Override
    public String title() {
        return "Queues";
    }

    @Override
    public String filterHelp() {
        return "a part of the name";
    }

    @Override
    String summary() {
        List<QueueSummary> all = engine().jobs().queues();
        return TopText.of(all.size(), "queue", "queues") + ", "
                + TopText.count(all.stream().mapToLong(QueueSummary::running).sum()) + " running, "
                + TopText.count(all.stream().mapToLong(QueueSummary::done).sum()) + " done in the last hour";
    }

    @Override
    TopRow row(QueueSummary queue, List<String> cells) {
        boolean paused = queue.paused() != null || !queue.pausedKinds().isEmpty();
        return new TopRow(
                "",
                queue.name(),
                paused ? TopTone.PAUSED : queue.running() > 0 ? TopTone.RUNNING : TopTone.WAITING,
                cells);
    }

    @Override
    Optional<QueueSummary> find(TopRow row) {
        return engine().jobs().queues().stream()
                .filter(each -> each.name().equals(row.id()))
                .findFirst();
    }

    @Override
    List<Cause> why(QueueSummary queue) {
        return List.of();
    }

    @Override
    public TopAction action(TopVerb verb, TopRow row) {
        return switch (verb) {
            case RETRY -> action(QueueOperations.RUN_RETRIES_NOW, QueueOperations.key(row.id()));
            case CANCEL -> TopAction.refused("Queues are not cancelled: pause the queue, or cancel its jobs.");
            case PAUSE ->
                action(
                        row.tone() == TopTone.PAUSED ? QueueOperations.RESUME : QueueOperations.PAUSE,
                        QueueOperations.key(row.id()));
        };
    }
}
