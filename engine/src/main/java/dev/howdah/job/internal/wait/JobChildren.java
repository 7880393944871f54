package dev.howdah.job.internal.wait;

import dev.howdah.internal.json.CodedType;
import dev.howdah.job.Job;
import dev.howdah.job.NewJob;
import dev.howdah.job.internal.attempt.OpenWait;
import dev.howdah.job.internal.attempt.OpenWait.Type;
import dev.howdah.job.wait.Child;
import dev.howdah.job.wait.ChildFailedException;
import dev.howdah.job.wait.ParentEnd;
import dev.howdah.spi.PayloadCodec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The children of a job, as its handler adds them and waits for them in one run. For the thread of the handler. */
public final class JobChildren {
    private static final int MOST = 10_000;
    /** Longer than any job. */
    static final long FOREVER_MICROS = 1_000L * 365 * 24 * 3_600 * 1_000_000;

    private final Job job;
    private final JobWaits waits;
    private final WaitRecords records;
    private final ChildAdder adder;
    private final PayloadCodec codec;
    private final Set<String> names = new HashSet<>();

    JobChildren(Job job, JobWaits waits, WaitRecords records, ChildAdder adder, PayloadCodec codec) {
        this.job = job;
        this.waits = waits;
        this.records = records;
        this.adder = adder;
        this.codec = codec;
    }

    /** Adds them once for this name, however often the handler runs again. */
    public List<Child> add(String name, List<? extends NewJob<?>> jobs, ParentEnd parentEnd) {
        waits.checkWait(Type.CHILD, name);
        if (!names.add(name))
            throw new IllegalStateException("child \"" + name + "\" of job " + job.id()
                    + " is asked for once more in one run: in a loop, make the number a part of the name");
        List<Child> known = recorded(name);
        if (known.isEmpty() && !jobs.isEmpty()) {
            waits.checkNew(new WaitRecord.Key(Type.CHILD, name, 1));
            check(name, jobs);
            records.added(adder.add(name, jobs, parentEnd, records.last() + 1));
            known = recorded(name);
        }
        waits.asked(Type.CHILD, name, known.size());
        for (int i = 0; i < Math.min(known.size(), jobs.size()); i++) checkKind(known.get(i), jobs.get(i));
        return known;
    }

    private void check(String name, List<? extends NewJob<?>> jobs) {
        if (jobs.size() > MOST)
            throw new IllegalArgumentException(jobs.size() + " children \"" + name + "\" of job " + job.id() + ": "
                    + MOST + " may be added at once");
        for (NewJob<?> each : jobs)
            if (each.unique() != null)
                throw new IllegalArgumentException("child \"" + name + "\" of job " + job.id()
                        + " has a key, which another job may have: a child has none, since its name makes it unique");
    }

    /** A child of another kind would be another program's. */
    private void checkKind(Child child, NewJob<?> job) {
        String kind = record(child).childKind();
        if (!job.kind().name().equals(kind))
            throw waits.places()
                    .diverge(
                            child.name(),
                            "its handler asks for child \"" + child.name() + "\" of kind "
                                    + job.kind().name() + ", and an earlier run has added one of kind " + kind);
    }

    private List<Child> recorded(String name) {
        List<Child> children = new ArrayList<>();
        for (int i = 1; ; i++) {
            WaitRecord record = records.find(new WaitRecord.Key(Type.CHILD, name, i));
            if (record == null) return List.copyOf(children);
            children.add(new Child(name, i, record.child()));
        }
    }

    /** The result of a child that is done. */
    public <T> @Nullable T await(Child child, CodedType<T> type) {
        waits.checkWait(Type.CHILD, child.name());
        WaitRecord record = record(child);
        WaitRecord.End end = record.end();
        if (end == null) throw suspend(Type.CHILD, record, List.of(child.id()));
        if (!end.state().equals("done")) throw failed(child, record, end);
        return decoded(child.name(), child.id(), end, type);
    }

    /** The result of a job that is done. */
    <T> @Nullable T decoded(String name, long id, WaitRecord.End end, CodedType<T> type) {
        String result = end.result();
        if (result == null || type.type() == Void.class) return null;
        try {
            return type.decode(codec, result, new PayloadCodec.Subject(PayloadCodec.Use.RESULT, end.kind()));
        } catch (IllegalArgumentException e) {
            // Another program may know the class.
            throw waits.places()
                    .diverge(
                            name,
                            "the result of child \"" + name + "\", job " + id + ", cannot be read as " + type + ": "
                                    + e.getMessage());
        }
    }

    private RuntimeException failed(Child child, WaitRecord record, WaitRecord.End end) {
        // An operator may have brought it back since the records were read.
        if (!end.seen() && !records.seen(record)) throw suspend(Type.CHILD, record, List.of(child.id()));
        ChildFailedException failure = new ChildFailedException(child, end.state(), end.error());
        waits.mayFailBy(failure, record.key());
        return failure;
    }

    /** Returns when all have ended, however. */
    public void awaitAll(List<Child> children) {
        waits.checkWait(
                Type.CHILDREN, children.isEmpty() ? "none" : children.get(0).name());
        WaitRecord open = null;
        Set<Long> ids = new LinkedHashSet<>();
        for (Child each : children) {
            WaitRecord record = record(each);
            ids.add(each.id());
            if (record.end() == null && open == null) open = record;
        }
        if (open == null) return;
        long all = records.recorded().stream()
                .filter(each -> each.key().type() == Type.CHILD)
                .count();
        throw suspend(Type.CHILDREN, open, all == ids.size() ? null : List.copyOf(ids));
    }

    /** Refuses to forget children that have not ended. */
    void checkLeft() {
        for (WaitRecord each : records.recorded())
            if (each.key().type() == Type.CHILD && each.end() == null && !each.left())
                throw new IllegalStateException("job " + job.id() + " cannot begin anew while its child \""
                        + each.key().name() + "\", job " + each.child()
                        + ", has not ended: wait for it, or add it with ParentEnd.LEAVE");
    }

    /** The record of a child. */
    WaitRecord record(Child child) {
        WaitRecord record = records.find(new WaitRecord.Key(Type.CHILD, child.name(), child.number()));
        if (record == null || record.child() != child.id())
            throw new IllegalArgumentException(
                    "job " + child.id() + " is no child \"" + child.name() + "\" of job " + job.id());
        return record;
    }

    private Error suspend(Type type, WaitRecord record, @Nullable List<Long> children) {
        return waits.suspend(new OpenWait(
                        type,
                        record.key().name(),
                        record.key().nth(),
                        records.last(),
                        FOREVER_MICROS,
                        System.nanoTime(),
                        null,
                        false)
                .among(new OpenWait.Among(List.of(), children)));
    }
}
