package dev.howdah.benchmarks;

import java.time.Duration;
import java.util.List;

/** Tasks of all kinds at once: how much memory the daemon has, with a heap of 256 MiB. */
final class ReachTogether implements Scenario {
    private final ReachedServers servers;
    private final List<ReachRate> kinds;

    ReachTogether(ReachedServers servers, List<ReachRate> kinds) {
        this.servers = servers;
        this.kinds = kinds;
    }

    @Override
    public String name() {
        return "together";
    }

    @Override
    public Daemon.Needs needs() {
        return ReachRate.needs(servers);
    }

    @Override
    public void run(Bench bench) throws Exception {
        ReachTemplates.make(bench);
        bench.clear();
        servers.forget();
        int tasks = 0;
        for (ReachRate each : kinds) {
            bench.execute(each.insert(each.tasks()));
            tasks += each.tasks();
        }
        double most = 0;
        int threads = 0;
        while (!bench.settled()) {
            most = Math.max(most, bench.daemon().figures().residentMegabytes());
            threads = Math.max(threads, bench.daemon().figures().threads());
            Bench.pause(Duration.ofMillis(50));
        }
        Figures figures = new Figures();
        figures.put("tasks", tasks);
        figures.put("not_done", bench.value(Long.class, "SELECT count(*) FROM task WHERE state <> 'DONE'"));
        figures.put("daemon_mb", most);
        figures.put("threads", threads);
        figures.put("load", ReachRate.load());
        bench.print("http, mail, ssh and pdf", 1, figures);
    }
}
