package dev.howdah.benchmarks;

import java.util.List;

/** The scenarios of the door of tasks, those with equal needs share a daemon. */
final class TaskScenarios {
    static final List<Scenario> ALL = List.of(
            new Throughput(),
            new TaskFloor(),
            new Queue(),
            new Alternating(
                    "future",
                    "1,000,000 tasks of the group planned for later",
                    "INSERT INTO task (\"group\", input, plan) SELECT 'group', 'SELECT 1', now() + interval '1 day'"
                            + " FROM generate_series(1, 1000000)"),
            new Snapshot(),
            new LogVolume(),
            new Latency(),
            new LatencyUnderLoad(),
            new LatencyFromSleep(),
            new Idle(),
            new Groups(),
            new ManyTables(),
            new Finished(),
            new Removal());

    private TaskScenarios() {}

    /** An INSERT of trivial tasks: clean sessions, or sessions that go on with the group's next. */
    static String trivial(String group, int tasks, int max, boolean reused) {
        String columns = reused ? ", live, count" : "";
        String values = reused ? ", '1 hour', 1000" : "";
        return "INSERT INTO task (\"group\", input, max" + columns + ") SELECT '" + group + "', 'SELECT 1', " + max
                + values + " FROM generate_series(1, " + tasks + ")";
    }
}
