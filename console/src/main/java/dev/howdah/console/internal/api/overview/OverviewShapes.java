package dev.howdah.console.internal.api.overview;

import dev.howdah.console.internal.api.schema.Field;
import dev.howdah.console.internal.api.schema.FieldType;
import dev.howdah.console.internal.api.schema.Shape;

/** The shapes of queues, nodes, sweeps, and of the whole at a glance. */
final class OverviewShapes {
    private static final Shape QUEUE = Shape.of(
            "Queue",
            Field.of("name", FieldType.TEXT, "its name"),
            Field.count("due", "jobs that could begin"),
            Field.count("later", "jobs whose time has not come"),
            Field.count("failed", "jobs that have failed with their last attempt"),
            Field.of("running", FieldType.INTEGER, "jobs that nodes have claimed, exact"),
            Field.maybe("oldest", FieldType.TIME, "since when the first of the jobs that could begin waits"),
            Field.of("done_last_hour", FieldType.INTEGER, "as of the last count of the statistics"),
            Field.of("retried_last_hour", FieldType.INTEGER, "attempts that are followed by another one"),
            Field.of("failed_last_hour", FieldType.INTEGER, "jobs that have failed with their last attempt"),
            Field.maybe("paused", FieldType.TIME, "since when it is paused; absent: it is not"),
            Field.maybe("paused_by", FieldType.TEXT, "the caller or the role that has paused it"),
            Field.of("paused_kinds", FieldType.TEXTS, "kinds that are paused by themselves"));

    static final Shape QUEUES = Shape.of("Queues", Field.many("items", QUEUE, "by name"));

    static final Shape NODE = Shape.of(
            "Node",
            Field.of("id", FieldType.INTEGER, "its number"),
            Field.of("name", FieldType.TEXT, "its name"),
            Field.of("features", FieldType.TEXTS, "what it does"),
            Field.of("started", FieldType.TIME, "when it was started"),
            Field.of("alive", FieldType.BOOLEAN, "false: it holds no lock, so it has ended or lost its connection"),
            Field.maybe("pid", FieldType.INTEGER, "the server process of its session"),
            Field.maybe("address", FieldType.TEXT, "from which its session comes"),
            Field.maybe("version", FieldType.TEXT, "of its program, if it says so"),
            Field.of("serves", FieldType.JSON, "queues, kinds and namespaces"),
            Field.of("jobs", FieldType.INTEGER, "jobs that it has claimed"));

    static final Shape NODES = Shape.of("Nodes", Field.many("items", NODE, "in the order of sort"));

    static final Field NODE_SORT = Field.maybe(
            "sort",
            FieldType.TEXT,
            "oldest, newest, name, reverse-name, busiest or idlest; oldest, which is by id, unless given");

    private static final Shape ENDED = Shape.of(
            "EndedTasks",
            Field.of("of_newest", FieldType.INTEGER, "among how many of the newest tasks they are counted"),
            Field.count("done", "tasks in state DONE"),
            Field.count("failed", "tasks in state FAIL"),
            Field.count("gone", "tasks in state GONE"),
            Field.count("stopped", "tasks in state STOP"));

    private static final Shape TABLE = Shape.of(
            "TaskTable",
            Field.of("table", FieldType.TEXT, "such as public.task"),
            Field.count("planned", "tasks in state PLAN"),
            Field.of("running", FieldType.INTEGER, "tasks in state TAKE or WORK, exact"),
            Field.one("ended", ENDED, "tasks that have ended"));

    private static final Shape JOBS = Shape.of(
            "JobCounts",
            Field.count("due", "jobs that could begin"),
            Field.count("later", "jobs whose time has not come"),
            Field.count("failed", "jobs that have failed with their last attempt"),
            Field.of("running", FieldType.INTEGER, "jobs that nodes have claimed, exact"));

    private static final Shape POINT = Shape.of(
            "Throughput",
            Field.of("time", FieldType.TIME, "the begin of the step"),
            Field.of("done", FieldType.INTEGER, "jobs that were done"),
            Field.of("retried", FieldType.INTEGER, "attempts that are followed by another one"),
            Field.of("failed", FieldType.INTEGER, "jobs that have failed with their last attempt"),
            Field.maybe("run_average", FieldType.DURATION, "how long those ran that were done"),
            Field.maybe("run_longest", FieldType.DURATION, "the longest of them"));

    static final Shape OVERVIEW = Shape.of(
            "Overview",
            Field.of("time", FieldType.TIME, "of the database"),
            Field.many("tables", TABLE, "of tasks"),
            Field.maybe("jobs", FieldType.OBJECT, JOBS, "of all queues; absent: there are no tables of jobs"),
            Field.of("step", FieldType.INTEGER, "seconds of each step of throughput"),
            Field.many("throughput", POINT, "jobs that have ended; steps without any are left out"));

    static final Field RANGE = Field.maybe("range", FieldType.TEXT, "of throughput: 1h, 24h or 7d; 1h unless given");

    private static final Shape PERCENTILES = Shape.of(
            "Percentiles",
            Field.of("p50", FieldType.DURATION, "half of them within that"),
            Field.of("p95", FieldType.DURATION, "95 of 100 of them"),
            Field.of("p99", FieldType.DURATION, "99 of 100 of them"));

    static final Shape LATENCY = Shape.of(
            "Latency",
            Field.of(
                    "attempts",
                    FieldType.INTEGER,
                    "how many were looked at: the newest, some 5,000 at most, since yesterday"),
            Field.maybe("waited", FieldType.OBJECT, PERCENTILES, "from when they were due until they began"),
            Field.maybe("ran", FieldType.OBJECT, PERCENTILES, "from when they began until they ended"));

    static final Field LATENCY_QUEUE = Field.maybe("queue", FieldType.TEXT, "only of that queue");

    static final Shape ATTENTION = Shape.of(
            "Attention",
            Field.many(
                    "items",
                    Shape.of(
                            "AttentionNotice",
                            Field.of("critical", FieldType.BOOLEAN, "whether it is critical"),
                            Field.of("sentence", FieldType.TEXT, "what is wrong"),
                            Field.of("page", FieldType.TEXT, "the path of the page of the console about it")),
                    "the critical ones first; empty: nothing needs attention"));

    static final Field SEARCHED = Field.of("q", FieldType.TEXT, "an id, key:K, tag:T, queue:Q, a name or a text");

    static final Shape HITS = Shape.of(
            "SearchHits",
            Field.many(
                    "items",
                    Shape.of(
                            "SearchHit",
                            Field.of("text", FieldType.TEXT, "what it is"),
                            Field.of("page", FieldType.TEXT, "the path of its page of the console")),
                    "what was found by id or name, and lists that a text may be in"));

    private OverviewShapes() {}
}
