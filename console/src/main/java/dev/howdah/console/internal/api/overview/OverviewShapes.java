package dev.howdah.console.internal.api.overview;

import dev.howdah.console.internal.overview.AttentionNotices;
import dev.howdah.console.internal.overview.SearchPage;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.list.ListItem;
import dev.howdah.operations.listed.ChartLists;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.operations.shape.Shape;
import dev.howdah.operations.value.TextValue;

/** The shapes of the whole at a glance. */
final class OverviewShapes {
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

    static final Field RANGE = Field.of(ChartLists.RANGE);

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

    static final ListItem<AttentionNotices.Notice> NOTICE = ListItem.<AttentionNotices.Notice>of("AttentionNotice")
            .of("critical", FieldType.BOOLEAN, "whether it is critical", AttentionNotices.Notice::isCritical)
            .of("sentence", FieldType.TEXT, "what is wrong", AttentionNotices.Notice::sentence)
            .masked()
            .of("page", FieldType.TEXT, "the path of the page of the console about it", AttentionNotices.Notice::path);

    static final Parameter<String> SEARCHED =
            Parameter.of("q", new TextValue(1_000), "An id, key:K, tag:T, queue:Q, a name or a text.");

    static final ListItem<SearchPage.Hit> HIT = ListItem.<SearchPage.Hit>of("SearchHit")
            .of("text", FieldType.TEXT, "what it is", SearchPage.Hit::text)
            .of("page", FieldType.TEXT, "the path of its page of the console", SearchPage.Hit::path);

    private OverviewShapes() {}
}
