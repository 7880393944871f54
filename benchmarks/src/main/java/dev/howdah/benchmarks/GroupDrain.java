package dev.howdah.benchmarks;

import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntFunction;
import javax.sql.DataSource;

/** How fast jobs that only count drain in 1,000 groups, without and with a limit of three for each, against a queue without groups. */
final class GroupDrain implements Scenario {
    private static final Kind<String> TURN = Kind.of("turn", String.class);
    private static final int DRAINED = 20_000;
    private static final int GROUPS = 1_000;

    @Override
    public String name() {
        return "group-drain";
    }

    @Override
    public void run(Bench bench) throws Exception {
        DataSource source = JobScenarios.source(bench.daemon().database());
        Jobs.on(source).start().close();
        for (int round = 0; round <= bench.rounds(); round++) {
            double plain = drain(bench, source, i -> NewJob.of(TURN, ""));
            double grouped = drain(bench, source, i -> NewJob.of(TURN, "").group("group " + i % GROUPS));
            bench.execute("SELECT howdah.limit('default', 3, each_group => true)");
            double limited = drain(bench, source, i -> NewJob.of(TURN, "").group("group " + i % GROUPS));
            bench.execute("SELECT howdah.limit('default', NULL, each_group => true)");
            if (round == 0) continue; // to warm up
            bench.print(
                    "all",
                    round,
                    new Figures()
                            .put("plain_jobs_per_s", plain)
                            .put("groups_jobs_per_s", grouped)
                            .put("groups_ratio", grouped / plain)
                            .put("limited_jobs_per_s", limited)
                            .put("limited_ratio", limited / plain));
        }
    }

    private static double drain(Bench bench, DataSource source, IntFunction<NewJob<String>> each) throws Exception {
        Tenants.clear(bench);
        CountDownLatch done = new CountDownLatch(DRAINED);
        List<NewJob<String>> all = new ArrayList<>();
        for (int i = 0; i < DRAINED; i++) all.add(each.apply(i));
        try (Jobs adder = Jobs.on(source).start()) {
            adder.addAll(all);
        }
        bench.execute("VACUUM (ANALYZE) howdah_internal.job");
        long began = System.nanoTime();
        try (Jobs jobs = Jobs.on(source)
                .concurrency(10)
                .handle(TURN, (name, job) -> done.countDown())
                .start()) {
            done.await();
            return DRAINED / ((System.nanoTime() - began) / 1e9);
        }
    }
}
