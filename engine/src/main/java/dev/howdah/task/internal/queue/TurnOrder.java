package dev.howdah.task.internal.queue;

import dev.howdah.task.internal.model.WaitingTask;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Waiting tasks of one group in the order in which they take their turns. Finds the first that a session may go on with without a walk
 * over all: thousands may wait, and a session asks after each task.
 */
final class TurnOrder implements Iterable<WaitingTask> {
    private final TreeSet<WaitingTask> all = new TreeSet<>();
    private final Map<Terms, TreeSet<WaitingTask>> byTerms = new HashMap<>();
    /** Terms of all tasks, which are then not kept by terms; null: they differ, or there is no task. */
    private @Nullable Terms common;

    /**
     * Conditions of a session that tasks have in common; of those with equal ones the first in turn has the largest {@code max}.
     *
     * @param negativeMax 0 unless {@code max} is negative: those take their turns as if it were 0
     */
    private record Terms(int count, double live, @Nullable String owner, int negativeMax) {
        static Terms of(WaitingTask task) {
            return new Terms(task.count(), task.live(), task.owner(), Math.min(task.max(), 0));
        }

        boolean fit(WaitingTask task) {
            return count == task.count()
                    && live == task.live()
                    && negativeMax == Math.min(task.max(), 0)
                    && Objects.equals(owner, task.owner());
        }
    }

    /** What a session has run and may go on with. */
    interface Conditions {
        boolean admit(WaitingTask task);
    }

    void add(WaitingTask task) {
        if (!all.add(task)) return;
        if (all.size() == 1) {
            common = Terms.of(task);
        } else if (common == null) {
            sort(task);
        } else if (!common.fit(task)) {
            common = null;
            all.forEach(this::sort);
        }
    }

    private void sort(WaitingTask task) {
        byTerms.computeIfAbsent(Terms.of(task), t -> new TreeSet<>()).add(task);
    }

    void remove(WaitingTask task) {
        if (!all.remove(task)) return;
        if (all.isEmpty()) clear();
        else if (common == null) unsort(task);
    }

    private void unsort(WaitingTask task) {
        Terms terms = Terms.of(task);
        TreeSet<WaitingTask> alike = byTerms.get(terms);
        if (alike != null && alike.remove(task)) {
            if (alike.isEmpty()) byTerms.remove(terms);
            return;
        }
        // A task that has got other terms since stands among those of before.
        byTerms.values().forEach(each -> each.remove(task));
        byTerms.values().removeIf(TreeSet::isEmpty);
    }

    void clear() {
        all.clear();
        byTerms.clear();
        common = null;
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    boolean contains(WaitingTask task) {
        return all.contains(task);
    }

    @Nullable
    WaitingTask first() {
        return all.isEmpty() ? null : all.first();
    }

    WaitingTask last() {
        return all.last();
    }

    /** The first in turn that the conditions admit, which depend on nothing but count, live, owner, and a least {@code max}. */
    @Nullable
    WaitingTask first(Conditions conditions) {
        WaitingTask first = common == null ? null : all.first();
        if (first != null) return conditions.admit(first) ? first : null;
        for (TreeSet<WaitingTask> alike : byTerms.values()) {
            WaitingTask candidate = alike.first();
            if ((first == null || candidate.compareTo(first) < 0) && conditions.admit(candidate)) first = candidate;
        }
        return first;
    }

    @Override
    public Iterator<WaitingTask> iterator() {
        return all.iterator();
    }
}
