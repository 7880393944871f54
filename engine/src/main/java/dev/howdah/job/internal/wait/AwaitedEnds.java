package dev.howdah.job.internal.wait;

import dev.howdah.internal.json.CodedType;
import dev.howdah.job.Job;
import dev.howdah.job.internal.attempt.OpenWait;
import dev.howdah.job.internal.attempt.OpenWait.Type;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.wait.ChildFailedException;
import dev.howdah.job.wait.WaitTimeoutException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Waits of a job for the ends of jobs that are not its children. For the thread of the handler. */
public final class AwaitedEnds {
    private final Job job;
    private final JobWaits waits;
    private final WaitRecords records;

    AwaitedEnds(Job job, JobWaits waits, WaitRecords records) {
        this.job = job;
        this.waits = waits;
        this.records = records;
    }

    /** The result of that job, when it is done. */
    public <T> @Nullable T await(String name, long id, CodedType<T> type, Duration atMost) {
        long micros = atMost.isNegative() ? 0 : Durations.micros(Durations.check(atMost));
        long now = System.nanoTime();
        checkOther(id);
        WaitRecord.Key key = waits.begin(Type.JOB, name);
        WaitRecord known = records.find(key);
        if (known == null) waits.checkNew(key);
        WaitRecord.End end = known != null && known.over() ? known.end() : null;
        if (known == null || !known.over()) {
            waits.mayEnd();
            WaitRecords.Ended ended = records.takeJob(known == null ? key : known.key(), known, id, micros);
            if (ended == null)
                throw waits.suspend(waits.waiting(key, known, micros, now)
                        .among(new OpenWait.Among(List.of(), List.of(), List.of(), List.of(id))));
            end = ended.end();
        }
        if (end == null) {
            WaitTimeoutException late = new WaitTimeoutException(name, id, atMost);
            waits.mayFailBy(late, key);
            throw late;
        }
        ChildFailedException failure = failure(key, id, end);
        if (failure != null) throw failure;
        return waits.children().decoded(name, id, end, type);
    }

    /** Refuses the job itself. */
    void checkOther(long id) {
        if (id == job.id()) throw new IllegalArgumentException("job " + id + " would wait for its own end");
    }

    /** What is thrown where the result of a job is asked for that is not done; null: it is. */
    @Nullable
    ChildFailedException failure(WaitRecord.Key key, long id, WaitRecord.End end) {
        if (end.state().equals("done")) return null;
        ChildFailedException failure = new ChildFailedException(key.name(), id, end.state(), end.error());
        waits.mayFailBy(failure, key);
        return failure;
    }
}
