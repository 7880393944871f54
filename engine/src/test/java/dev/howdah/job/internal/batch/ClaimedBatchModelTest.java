package dev.howdah.job.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.internal.SeededModel;
import dev.howdah.job.internal.attempt.AttemptResult;
import dev.howdah.job.internal.attempt.ClaimedJob;
import dev.howdah.job.internal.lane.Lane;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A claimed batch against a simple reference, by random operations: jobs are refused, begun, ended, given back and given up while parts of
 * the batch are held and written, or torn by a lost session. The end of the batch is reported exactly once.
 */
class ClaimedBatchModelTest implements SeededModel {
    private static final int BATCHES = 300;
    private static final int STEPS = 60;
    private static final long TOKEN = 7;

    private enum JobState {
        OFFERED,
        BEGUN,
        ENDED
    }

    private Random random = new Random();
    private String where = "";
    private ClaimedBatch batch = batch(1);
    private JobState[] jobs = {};
    private int[] order = {};
    private List<Integer> members = List.of();
    private long number;
    private boolean held;
    private int reports;

    /** The part that was sent to the database when the session was lost; null: the batch is not torn. */
    private @Nullable List<Integer> torn;

    private static ClaimedBatch batch(int size, int... priorities) {
        List<ClaimedJob> jobs = IntStream.range(0, size)
                .mapToObj(i -> ClaimedJob.of(
                        i + 1L, "1", null, priorities.length == 0 ? null : "{\"p\":" + priorities[i] + "}"))
                .toList();
        return new ClaimedBatch(1, new ClaimId(1, TOKEN), new Lane(1, "default", null), "work", jobs);
    }

    @Override
    public void run(long seed) {
        random = new Random(seed);
        for (int n = 0; n < BATCHES; n++) {
            start();
            for (int step = 0; step < STEPS; step++) {
                where = "seed " + seed + ", batch " + n + ", step " + step;
                step();
                check();
            }
            where = "seed " + seed + ", batch " + n + ", at the end";
            finish();
        }
    }

    private void start() {
        int size = 1 + random.nextInt(6);
        int[] priorities = random.ints(size, 0, 3).toArray();
        batch = batch(size, priorities);
        jobs = new JobState[size];
        Arrays.fill(jobs, JobState.OFFERED);
        order = IntStream.range(0, size)
                .boxed()
                .sorted(Comparator.comparing((Integer i) -> priorities[i]).thenComparing(i -> i))
                .mapToInt(Integer::intValue)
                .toArray();
        members = IntStream.range(0, size).boxed().toList();
        number = 1;
        held = false;
        torn = null;
        reports = 0;
        for (int i = 0; i < size; i++)
            if (random.nextInt(8) == 0) {
                end(i);
                report(batch.refuse(i), true);
            }
    }

    private long left() {
        return Arrays.stream(jobs).filter(each -> each != JobState.ENDED).count();
    }

    private List<Integer> in(JobState state) {
        return IntStream.range(0, jobs.length)
                .filter(i -> jobs[i] == state)
                .boxed()
                .toList();
    }

    private void end(int i) {
        jobs[i] = JobState.ENDED;
    }

    /** @param changed whether a job has ended by this, or the hold is over */
    private void report(boolean said, boolean changed) {
        boolean expected = changed && left() == 0 && !held;
        assertThat(said).as("%s: reports the end", where).isEqualTo(expected);
        if (said) reports++;
        assertThat(reports).as("%s: reports", where).isLessThanOrEqualTo(1);
    }

    private void step() {
        switch (random.nextInt(10)) {
            case 0, 1, 2 -> begin();
            case 3, 4, 5 -> endOne();
            case 6 -> hold();
            case 7 -> write();
            case 8 -> release();
            default -> {
                if (random.nextInt(6) == 0) giveBack(in(JobState.OFFERED), batch.giveBack());
                else if (random.nextInt(12) == 0) {
                    List<Integer> given = new ArrayList<>(in(JobState.OFFERED));
                    given.addAll(in(JobState.BEGUN));
                    giveBack(given, batch.giveUp());
                }
            }
        }
    }

    private void begin() {
        int expected = Arrays.stream(order)
                .filter(i -> jobs[i] == JobState.OFFERED)
                .findFirst()
                .orElse(-1);
        assertThat(batch.begin()).as("%s: the next job", where).isEqualTo(expected);
        if (expected >= 0) jobs[expected] = JobState.BEGUN;
    }

    /** One that has begun; or one whose handler does not notice that it was given up. */
    private void endOne() {
        List<Integer> begun = in(random.nextInt(5) == 0 ? JobState.ENDED : JobState.BEGUN);
        if (begun.isEmpty()) return;
        int i = begun.get(random.nextInt(begun.size()));
        boolean changed = jobs[i] == JobState.BEGUN;
        AttemptResult before = batch.result(i);
        end(i);
        report(batch.end(i, AttemptResult.done(null), 0, 0), changed);
        if (!changed)
            assertThat(batch.result(i)).as("%s: the first end counts", where).isSameAs(before);
    }

    private void giveBack(List<Integer> given, boolean said) {
        given.forEach(this::end);
        report(said, !given.isEmpty());
        for (int i : given) assertThat(batch.result(i)).as(where).isSameAs(AttemptResult.GIVEN_BACK);
    }

    private void hold() {
        if (held) return;
        boolean expected = left() > 0;
        assertThat(batch.hold()).as("%s: can be held", where).isEqualTo(expected);
        held = expected;
    }

    /** The jobs that have ended are written, and the others move to another batch; or the session is lost before the answer comes. */
    private void write() {
        if (!held || torn != null) return;
        List<Integer> going =
                members.stream().filter(i -> jobs[i] != JobState.ENDED).toList();
        if (going.isEmpty() || going.size() == members.size()) return;
        if (random.nextBoolean()) moved(going);
        else torn = going;
    }

    private void moved(List<Integer> going) {
        number++;
        members = going;
        batch.moved(number, going);
    }

    /** What was torn is found again, if the database had written it; then the hold is over. */
    private void release() {
        if (!held) return;
        if (torn != null && random.nextBoolean()) moved(torn);
        torn = null;
        held = false;
        report(batch.release(), true);
    }

    private void check() {
        assertThat(batch.left()).as("%s: jobs left", where).isEqualTo((int) left());
        assertThat(batch.hasEnded()).as("%s: has ended", where).isEqualTo(left() == 0 && !held);
        assertThat(batch.waiting())
                .as("%s: waiting", where)
                .isGreaterThanOrEqualTo(in(JobState.OFFERED).size());
        assertThat(batch.members()).as("%s: members", where).isEqualTo(members);
        assertThat(batch.claim()).as("%s: claim", where).isEqualTo(new ClaimId(number, TOKEN));
        assertThat(batch.unwritten()).as("%s: ended and not written", where).isEqualTo((int)
                members.stream().filter(i -> jobs[i] == JobState.ENDED).count());
        for (int i = 0; i < jobs.length; i++)
            assertThat(batch.result(i) != null)
                    .as("%s: job %s has ended", where, i)
                    .isEqualTo(jobs[i] == JobState.ENDED);
    }

    private void finish() {
        if (held) release();
        for (int i = batch.begin(); i >= 0; i = batch.begin()) jobs[i] = JobState.BEGUN;
        for (int i : in(JobState.BEGUN)) {
            end(i);
            report(batch.end(i, AttemptResult.DONE, 0, 0), true);
        }
        check();
        assertThat(reports).as("%s: reports of the end", where).isEqualTo(1);
    }

    @Test
    void workersAndWriters_atTheSameTime_reportTheEndOnce() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(5);
        try {
            for (int round = 0; round < 500; round++) together(threads, round);
        } finally {
            threads.shutdownNow();
        }
    }

    private static void together(ExecutorService threads, int round) throws Exception {
        ClaimedBatch shared = batch(20);
        AtomicInteger ends = new AtomicInteger();
        AtomicInteger begun = new AtomicInteger();
        CountDownLatch ready = new CountDownLatch(5);
        List<Future<?>> all = new ArrayList<>();
        for (int worker = 0; worker < 3; worker++)
            all.add(threads.submit(() -> {
                await(ready);
                for (int i = shared.begin(); i >= 0; i = shared.begin()) {
                    begun.incrementAndGet();
                    if (shared.end(i, AttemptResult.DONE, 0, 0)) ends.incrementAndGet();
                }
                return null;
            }));
        all.add(threads.submit(() -> {
            await(ready);
            for (long batch = 2; shared.hold(); batch++) {
                List<Integer> going = shared.members().stream()
                        .filter(i -> shared.result(i) == null)
                        .toList();
                shared.moved(batch, going);
                if (shared.release()) ends.incrementAndGet();
            }
            return null;
        }));
        all.add(threads.submit(() -> {
            await(ready);
            if (round % 3 == 0 && shared.giveBack()) ends.incrementAndGet();
            if (round % 3 == 1 && shared.giveUp()) ends.incrementAndGet();
            return null;
        }));
        for (Future<?> each : all) each.get(1, TimeUnit.MINUTES);
        assertThat(shared.hasEnded()).as("round %s", round).isTrue();
        assertThat(ends).as("round %s: reports of the end", round).hasValue(1);
        assertThat(LongStream.range(0, 20)
                        .filter(i -> shared.result((int) i) == null)
                        .count())
                .as("round %s: jobs without an end", round)
                .isZero();
        if (round % 3 == 2) assertThat(begun).as("round %s: jobs begun", round).hasValue(20);
    }

    private static void await(CountDownLatch ready) throws InterruptedException {
        ready.countDown();
        ready.await();
    }
}
