package dev.howdah.internal.sql;

/**
 * The classes of advisory locks that Howdah takes: the first of the two numbers of a lock. SQL files write the numbers as
 * they are; a test checks that each number in the sources is registered here, and is used by the statements of one purpose
 * only. A new purpose takes the next free number, never one of an earlier purpose: programs of two versions work side by side.
 */
public enum AdvisoryLock {
    /** The scheduler of a table of tasks. */
    TASK_SCHEDULER(1215264867),
    /** A scheduler that sleeps; shared by transactions that add tasks. */
    TASK_ASLEEP(1215264868),
    /** Creation of the tables of tasks. */
    TASK_CREATION(1215264869),
    /** A node: a program that runs jobs, processes or both. */
    NODE(1215264874),
    /** A lane of jobs at which a node sleeps; shared by transactions that add jobs. */
    JOB_ASLEEP(1215264875),
    /** Maintenance of jobs: 0 retention, 1 statistics, 2 jobs in order, 3 tables of days, 4 ids of batches, 5 removal by rules. */
    JOB_MAINTENANCE(1215264876),
    /** Migrations, of all features. */
    MIGRATION(1215264877),
    /** Sessions with the own transaction of a job, by the node that works on it. */
    JOB_TRANSACTION(1215264880),
    /** A namespace of processes at which a node sleeps; shared by transactions that add calls. */
    PROCESS_ASLEEP(1215264883),
    /** A queue with a limit, while a node claims from it. */
    JOB_LIMIT(1215264884),
    /** A queue with a limit of which nodes wait for room. */
    JOB_LIMIT_WAIT(1215264885),
    /** A namespace of processes whose publisher sleeps; shared by transactions that write notices. */
    OUTBOX_ASLEEP(1215264886),
    /** The publisher of a namespace of processes. */
    OUTBOX_PUBLISHER(1215264887),
    /** Retention of processes. */
    PROCESS_MAINTENANCE(1215264888),
    /** A process of a sweep. */
    SWEEP_PROCESS(1215264890),
    /** The process that stamps the rows of a sweep. */
    SWEEP_STAMPS(1215264891),
    /** A schedule of tasks, by table, owner and name, while it is changed. */
    TASK_SCHEDULE(1215264892),
    /** A reader of a log queue, while a node claims for it. */
    JOB_LOG(1215264893),
    /** How many sessions a scheduler may have for tasks: the second number of a lock that it shares, so that others know it. */
    TASK_SESSIONS(1215264894);

    private final int classId;

    AdvisoryLock(int classId) {
        this.classId = classId;
    }

    /** The first number of the locks of this class. */
    public int classId() {
        return classId;
    }
}
