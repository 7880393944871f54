package dev.howdah.job;

import static dev.howdah.job.JobsDatabase.awaiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.health.Cause;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each cause why a job does not run, made on a real server, on the oldest and the newest major. */
@Tag("long")
class JobWhyTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);
    private static final Kind<Integer> OTHER = Kind.of("other", Integer.class);

    private final List<AutoCloseable> opened = new ArrayList<>();
    private final Semaphore go = new Semaphore(0);

    @AfterEach
    void close() throws Exception {
        go.release(10_000);
        for (int i = opened.size() - 1; i >= 0; i--) opened.get(i).close();
    }

    private JobsDatabase database(int major) {
        TestDatabase made = TestDatabase.create(TestServer.of(major));
        opened.add(made);
        return JobsDatabase.in(made);
    }

    /** A node named a whose handlers wait until the end of the test. */
    private void node(JobsDatabase database, UnaryOperator<JobsBuilder> options) {
        opened.add(options.apply(database.jobs().nodeName("a").handle(WORK, (n, job) -> go.acquire()))
                .start());
    }

    private static long add(JobsDatabase database, String arguments) {
        return database.number("SELECT id FROM howdah.add(" + arguments + ")");
    }

    private static List<Cause> causes(JobsDatabase database, long id) {
        return Jobs.on(database.dataSource()).admin().why(id);
    }

    private static Cause why(JobsDatabase database, long id) {
        return causes(database, id).get(0);
    }

    /** Waits until the job has that cause first, and returns its sentence with D for time spans and T for times. */
    private static String sentence(JobsDatabase database, long id, String code) {
        AtomicReference<String> found = new AtomicReference<>("");
        awaiting("job " + id + " has the cause " + code).until(() -> {
            Cause first = why(database, id);
            found.set(first.sentence());
            return first.code().equals(code);
        });
        return masked(String.valueOf(found.get()));
    }

    private static String masked(String sentence) {
        return sentence.replaceAll("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d[+-]\\d\\d:\\d\\d", "T")
                .replaceAll("\\b[\\d.]+ (ms|s|min|h|d)( \\d+ (s|min|h))?(?= ago|,|;|\\.|$)", "D");
    }

    private static void awaitRunning(JobsDatabase database, long id) {
        awaiting("job " + id + " runs").until(() -> why(database, id).code().equals("runs"));
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void job_unknown_saysWhichIdsThereAre(int major) {
        JobsDatabase database = database(major);
        assertThat(sentence(database, 7, "unknown")).isEqualTo("There is no job 7: none was ever added.");
        long id = add(database, "'q', 'work', '1'");
        assertThat(sentence(database, id + 5, "unknown"))
                .isEqualTo("There is no job " + (id + 5) + ": ids up to " + id + " have been given.");
        database.execute("DELETE FROM howdah_internal.job");
        assertThat(sentence(database, id, "unknown")).startsWith("There is no job " + id + " any more");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void job_withoutNodes_needsOne(int major) {
        JobsDatabase database = database(major);
        long id = add(database, "'q', 'work', '1'");
        Cause cause = why(database, id);
        assertThat(cause.code() + ": " + cause.sentence()).isEqualTo("no-node: No node works.");
        assertThat(cause.remedy()).isEqualTo("Start a program that handles kind \"work\" of queue \"q\".");
        assertThat(causes(database, id)).hasSize(1);
    }

    // workers by HTTP that ask every few minutes, or every night, are there; those that have ceased to ask are not
    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void job_ofWorkersThatAskFromTimeToTime_waitsForTheirNextRequest(int major) {
        JobsDatabase database = database(major);
        long id = add(database, "'q', 'work', '1'");
        asked(database, "work", 3);
        assertThat(sentence(database, id, "polled"))
                .isEqualTo("No worker asks for kind \"work\" of queue \"q\" just now. Workers by HTTP did until T.");
        asked(database, "work", 20);
        assertThat(sentence(database, id, "polled"))
                .isEqualTo("No worker asks for kind \"work\" of queue \"q\" just now. Workers by HTTP did until T,"
                        + " mostly with pauses of D.");
        database.execute(
                "UPDATE howdah_internal.node_end SET started = started - interval '13 min', ended = ended - interval '13 min'");
        assertThat(why(database, id).code()).as("less than two pauses").isEqualTo("polled");
        database.execute(
                "UPDATE howdah_internal.node_end SET started = started - interval '1 hour', ended = ended - interval '1 hour'");
        assertThat(why(database, id).code()).as("none of late").isEqualTo("no-node");
        asked(database, "other", 1);
        assertThat(why(database, id).code()).as("another kind").isEqualTo("no-node");
    }

    /** One long pause says nothing of the next one. */
    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void workersByHttp_afterOneLongPause_areAwaitedForADayAtMost(int major) {
        JobsDatabase database = database(major);
        for (int days : List.of(13, 3, 2)) asked(database, "rare", days * 24 * 60);
        assertThat(awaited(database)).as("days between three nodes").isEqualTo("1 day");
        assertThat(why(database, add(database, "'q', 'rare', '1'")).code()).isEqualTo("no-node");
        database.execute("DELETE FROM howdah_internal.node_end");
        for (int minutes : List.of(14_400, 45, 35, 25)) asked(database, "often", minutes);
        assertThat(awaited(database))
                .as("pauses of nine minutes, and one of days")
                .isEqualTo("00:18:00");
        database.execute("DELETE FROM howdah_internal.node_end");
        for (int minutes : List.of(14_400, 35, 25)) asked(database, "twice", minutes);
        assertThat(awaited(database)).as("the shorter one of two").isEqualTo("00:18:00");
    }

    private static String awaited(JobsDatabase database) {
        return database.text("SELECT date_trunc('minute', awaited - asked) FROM howdah_internal.worker_pace");
    }

    /** A node of workers for that kind, which has ended so many minutes ago. */
    private static void asked(JobsDatabase database, String kind, int minutes) {
        database.execute(
                "INSERT INTO howdah_internal.node_end (incarnation, id, name, features, started, ended, reason, serves)"
                        + " SELECT gen_random_uuid(), 1, 'http workers', '{job}', at - interval '1 min', at, 'stopped', '{\"job\":"
                        + " {\"queues\": [\"q\"], \"kinds\": [\"" + kind + "\"]}}' FROM (SELECT now() - interval '"
                        + minutes
                        + " min' AS at) a");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void job_ofKindOrQueueWithoutHandler_namesTheNodes(int major) {
        JobsDatabase database = database(major);
        node(database, jobs -> jobs.queues("q"));
        assertThat(sentence(database, add(database, "'q', 'other', '1'"), "no-handler"))
                .matches("No living node handles kind \"other\" of queue \"q\"\\. There are: node \\d+ \\(a\\): kinds"
                        + " work of q\\.");
        assertThat(sentence(database, add(database, "'elsewhere', 'work', '1'"), "no-handler"))
                .matches("No living node takes jobs of queue \"elsewhere\"\\. There are: node \\d+ \\(a\\): kinds work"
                        + " of q\\.");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void job_plannedOrRetrying_isNotDue(int major) {
        JobsDatabase database = database(major);
        long planned = add(database, "'q', 'work', '1', delay => interval '1 hour'");
        Cause cause = why(database, planned);
        assertThat(cause.code() + ": " + masked(cause.sentence())).isEqualTo("planned: It is due in D, at T.");
        assertThat(cause.remedy()).isEqualTo("SELECT howdah.hurry(" + planned + ");");
        opened.add(database.jobs()
                .defaultRetries(RetryPolicy.after(Duration.ofMinutes(10)))
                .handle(OTHER, (n, job) -> {
                    throw new IllegalStateException("no luck");
                })
                .start());
        long flaky = add(database, "'default', 'other', '1'");
        assertThat(sentence(database, flaky, "retrying"))
                .isEqualTo(
                        "Attempt 2 is due in D, at T; the last one failed: java.lang.IllegalStateException: no luck");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void job_ofPausedQueueOrKind_saysByWhomAndSinceWhen(int major) {
        JobsDatabase database = database(major);
        node(database, jobs -> jobs.queues("q"));
        database.execute("SELECT howdah.pause('q')");
        long id = add(database, "'q', 'work', '1'");
        Cause cause = why(database, id);
        assertThat(cause.code() + ": " + masked(cause.sentence()))
                .isEqualTo("paused: Queue \"q\" is paused since T, by postgres.");
        assertThat(cause.remedy()).isEqualTo("SELECT howdah.resume('q');");
        database.execute("SELECT howdah.resume('q'); SET howdah.actor = 'Ann'; SELECT howdah.pause('r', 'work')");
        Cause kind = why(database, add(database, "'r', 'work', '1'"));
        assertThat(kind.code() + ": " + masked(kind.sentence()))
                .isEqualTo("paused: Kind \"work\" of queue \"r\" is paused since T, by Ann.");
        assertThat(kind.remedy()).isEqualTo("SELECT howdah.resume('r', 'work');");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void job_thatRuns_saysWhereAndSinceWhen(int major) {
        JobsDatabase database = database(major);
        node(database, jobs -> jobs);
        long id = add(database, "'default', 'work', '1'");
        assertThat(sentence(database, id, "runs")).matches("It runs on node \\d+ \\(a\\) since T, attempt 1\\.");
        assertThat(why(database, id).remedy()).isEqualTo("SELECT howdah.cancel(" + id + ");");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void job_ofDeadNode_comesBack(int major) {
        JobsDatabase database = database(major);
        long id = add(database, "'q', 'work', '1'");
        database.execute("""
                WITH gone AS (DELETE FROM howdah_internal.job RETURNING id, lane, run_at),
                    dead AS (INSERT INTO howdah_internal.node (name, features) VALUES ('dead', '{job}') RETURNING id)
                INSERT INTO howdah_internal.batch (node, lane, begun, alone, jobs, first_id, last_id, ids, run_at, kind, payloads)
                SELECT d.id, g.lane, true, false, 1, g.id, g.id, ARRAY[g.id], g.run_at, 'work', ARRAY['1'::json]
                FROM gone g, dead d""");
        assertThat(sentence(database, id, "node-died"))
                .matches(
                        "Node \\d+ \\(dead\\) had it since T, and is dead: the next node that starts gives it back\\.");
        assertThat(why(database, id).remedy()).isEqualTo("Start a node.");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void job_thatHasEnded_saysHow(int major) {
        JobsDatabase database = database(major);
        opened.add(database.jobs()
                .nodeName("a")
                .handle(WORK, (n, job) -> {})
                .handle(OTHER, (n, job) -> {
                    throw new FatalException("no luck");
                })
                .start());
        long done = add(database, "'default', 'work', '1'");
        assertThat(sentence(database, done, "ended")).isEqualTo("It is done since T.");
        long failed = add(database, "'default', 'other', '1'");
        assertThat(sentence(database, failed, "ended")).isEqualTo("It failed at T, at attempt 1: no luck.");
        assertThat(why(database, failed).remedy()).isEqualTo("SELECT howdah.retry(" + failed + ");");
        long cancelled = add(database, "'default', 'work', '1', delay => interval '1 hour'");
        database.execute("SELECT howdah.cancel(" + cancelled + ")");
        assertThat(sentence(database, cancelled, "ended"))
                .isEqualTo("It was cancelled at T: cancelled before it began.");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void job_lockedByAnotherSession_namesTheSession(int major) throws SQLException {
        JobsDatabase database = database(major);
        long id = add(database, "'q', 'work', '1'");
        try (Connection other = database.connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT FROM howdah_internal.job FOR UPDATE");
            Cause cause = why(database, id);
            assertThat(cause.code()).isEqualTo("row-locked");
            assertThat(masked(cause.sentence()))
                    .matches("Session \\d+ \\(postgres, jobs\\) has locked it, in a transaction that began D ago\\.");
            assertThat(cause.remedy()).contains("SELECT pg_terminate_backend(");
            other.rollback();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void job_withKeyOfRunningJob_follows(int major) {
        JobsDatabase database = database(major);
        node(database, jobs -> jobs);
        long first = add(database, "'default', 'work', '1', key => 'k', version => '2020-01-01'");
        awaitRunning(database, first);
        long second = add(database, "'default', 'work', '2', key => 'k', version => '2021-01-01'");
        assertThat(sentence(database, second, "follows"))
                .isEqualTo("It runs when job " + first + ", which has its key \"k\", has ended.");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void job_withBusyOrderKey_saysHowManyGoFirst(int major) {
        JobsDatabase database = database(major);
        node(database, jobs -> jobs);
        long first = database.number("SELECT howdah.add_ordered('default', 'work', '1', 'k')");
        awaitRunning(database, first);
        database.execute("SELECT howdah.add_ordered('default', 'work', '2', 'k')");
        long third = database.number("SELECT howdah.add_ordered('default', 'work', '3', 'k')");
        assertThat(sentence(database, third, "order"))
                .isEqualTo("Its order key \"k\" is busy: job " + first + " has its turn; one more goes before it.");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void job_ofWorkflow_waitsForPredecessors(int major) {
        JobsDatabase database = database(major);
        database.execute(
                "SELECT howdah.add_workflow('[{\"name\": \"a\", \"queue\": \"q\", \"kind\": \"work\", \"payload\": 1},"
                        + " {\"name\": \"b\", \"queue\": \"q\", \"kind\": \"work\", \"payload\": 2, \"after\": [\"a\"]}]')");
        long first = database.number("SELECT id FROM howdah_internal.workflow_job WHERE name = 'a'");
        long second = database.number("SELECT id FROM howdah_internal.workflow_job WHERE name = 'b'");
        assertThat(sentence(database, second, "waits-for"))
                .matches("It waits for job " + first + " of workflow \\d+\\.");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void callback_ofKindWithoutHandler_saysSoBeforeAndAfterItsTime(int major) {
        JobsDatabase database = database(major);
        go.release(10_000);
        node(database, jobs -> jobs.queues("q"));
        database.execute("SELECT howdah.add_workflow('[{\"queue\": \"other\", \"kind\": \"work\", \"payload\": 1}]',"
                + " when_ended => '{\"queue\": \"q\", \"kind\": \"tell\", \"payload\": 2}')");
        long callback = database.number("SELECT id FROM howdah_internal.workflow_job WHERE callback");
        assertThat(sentence(database, callback, "waits-for"))
                .matches("It runs when all other jobs of workflow \\d+ have ended\\.");
        assertThat(causes(database, callback)).extracting(Cause::code).containsExactly("waits-for", "no-handler");
        assertThat(database.text("SELECT state || callbacks FROM howdah.workflows"))
                .isEqualTo("running0");
        database.execute("SELECT howdah.cancel(id) FROM howdah_internal.job");
        assertThat(sentence(database, callback, "no-handler"))
                .startsWith("No living node handles kind \"tell\" of queue \"q\".");
        // A node claims it with its queue, and puts it into the lane of its kind.
        awaiting("it waits in its lane")
                .until(() -> database.text("SELECT state || callbacks FROM howdah.workflows")
                        .equals("ended1"));
        opened.add(database.jobs()
                .queues("q")
                .handle(Kind.of("tell", Integer.class), (n, job) -> {})
                .start());
        sentence(database, callback, "ended");
        assertThat(database.text("SELECT state || callbacks FROM howdah.workflows"))
                .isEqualTo("ended0");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void job_behindLimitOfQueue_namesTheJobThatRuns(int major) {
        JobsDatabase database = database(major);
        database.execute("SELECT howdah.limit('q', 1)");
        node(database, jobs -> jobs.queues("q"));
        long first = add(database, "'q', 'work', '1'");
        awaitRunning(database, first);
        long second = add(database, "'q', 'work', '2'");
        assertThat(sentence(database, second, "limit"))
                .matches("The limit of queue \"q\" is reached: 1 of 1 runs \\(job " + first
                        + " on node \\d+ \\(a\\)\\)\\.");
        assertThat(why(database, second).remedy()).isEqualTo("SELECT howdah.limit('q', 2);");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void job_behindLimitOfEachGroup_namesTheGroup(int major) {
        JobsDatabase database = database(major);
        database.execute("SELECT howdah.limit('q', 1, each_group => true)");
        node(database, jobs -> jobs.queues("q"));
        long first = add(database, "'q', 'work', '1', options => '{\"group\": \"c\"}'");
        awaitRunning(database, first);
        long second = add(database, "'q', 'work', '2', options => '{\"group\": \"c\"}'");
        assertThat(sentence(database, second, "limit"))
                .matches("The limit of each group of queue \"q\" is reached: 1 of 1 runs \\(job " + first
                        + " on node \\d+ \\(a\\)\\)\\.");
        assertThat(why(database, second).remedy()).isEqualTo("SELECT howdah.limit('q', 2, each_group => true);");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void job_behindLimitOfTheProgram_saysThatEachNodeHasIt(int major) {
        JobsDatabase database = database(major);
        node(database, jobs -> jobs.queues("q").nodeLimit("q", 1));
        long first = add(database, "'q', 'work', '1'");
        awaitRunning(database, first);
        assertThat(sentence(database, add(database, "'q', 'work', '2'"), "limit"))
                .matches("The limit of queue \"q\" for each node is reached: 1 of 1 runs \\(job " + first
                        + " on node \\d+ \\(a\\)\\)\\.");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void job_behindRate_saysWhenTheNextBegins(int major) {
        JobsDatabase database = database(major);
        database.execute("SELECT howdah.rate_limit('q', 1, interval '1 hour')");
        node(database, jobs -> jobs.queues("q"));
        long first = add(database, "'q', 'work', '1'");
        awaitRunning(database, first);
        long second = add(database, "'q', 'work', '2'");
        assertThat(sentence(database, second, "rate"))
                .isEqualTo("The rate of queue \"q\" is used up: 1 in D; the next begins in D, at T.");
        assertThat(why(database, second).remedy()).isEqualTo("SELECT howdah.rate_limit('q', 2, interval '01:00:00');");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void job_whileAllSlotsAreBusy_namesTheLongest(int major) {
        JobsDatabase database = database(major);
        node(database, jobs -> jobs.concurrency(1));
        long first = add(database, "'default', 'work', '1'");
        awaitRunning(database, first);
        // More than a node claims ahead.
        database.execute(
                "SELECT howdah.add_many('default', 'work', (SELECT array_agg('1'::json) FROM generate_series(1, 2000)))");
        long last = database.number("SELECT max(id) FROM howdah_internal.job");
        assertThat(sentence(database, last, "busy"))
                .matches("The one slot of the nodes that handle it is busy; the longest by job " + first
                        + " on node \\d+ \\(a\\), since D\\.");
        assertThat(causes(database, last)).extracting(Cause::code).contains("behind");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void job_behindOthersOfItsLane_saysHowMany(int major) {
        JobsDatabase database = database(major);
        // A node that does not say what it serves, and never claims.
        database.execute("INSERT INTO howdah_internal.node (name, features) VALUES ('n', '{job}')");
        try (Connection alive = database.connect();
                Statement statement = alive.createStatement()) {
            statement.execute("SELECT pg_advisory_lock(1215264874, id) FROM howdah_internal.node");
            add(database, "'q', 'work', '1', priority => 5");
            long last = add(database, "'q', 'work', '2', priority => 7");
            add(database, "'q', 'work', '3', priority => 9");
            assertThat(sentence(database, last, "behind"))
                    .isEqualTo("One job goes before it: they have a lower priority number, or were due earlier.");
            add(database, "'q', 'work', '3', priority => -1");
            assertThat(sentence(database, last, "behind"))
                    .isEqualTo("2 jobs go before it: they have a lower priority number, or were due earlier.");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void job_whoseLaneIsLockedByAStranger_namesTheSession(int major) throws SQLException {
        JobsDatabase database = database(major);
        database.execute("INSERT INTO howdah_internal.node (name, features) VALUES ('n', '{job}')");
        String role = database.text("SELECT current_database() || '_stranger'");
        database.execute("CREATE ROLE " + role + " LOGIN");
        opened.add(1, () -> database.execute("DROP ROLE " + role));
        try (Connection alive = database.connect();
                Connection strange =
                        JobsDatabase.as((TestDatabase) opened.get(0), role).getConnection();
                Statement statement = alive.createStatement();
                Statement stranger = strange.createStatement()) {
            statement.execute("SELECT pg_advisory_lock(1215264874, id) FROM howdah_internal.node");
            long id = add(database, "'q', 'work', '1'");
            stranger.execute("SELECT pg_advisory_lock(1215264884, "
                    + database.number("SELECT id FROM howdah_internal.lane WHERE queue = 'q'") + ")");
            assertThat(sentence(database, id, "lock-foreign"))
                    .matches("Session \\d+ of role " + role + " holds an advisory lock of nodes, and is none\\.");
        }
    }

    // when nothing holds
    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void job_withNothingInItsWay_saysSo(int major) throws SQLException {
        JobsDatabase database = database(major);
        database.execute("INSERT INTO howdah_internal.node (name, features) VALUES ('n', '{job}')");
        try (Connection alive = database.connect();
                Statement statement = alive.createStatement()) {
            statement.execute("SELECT pg_advisory_lock(1215264874, id) FROM howdah_internal.node");
            long id = add(database, "'q', 'work', '1'");
            assertThat(sentence(database, id, "due"))
                    .isEqualTo("It is due, since D, and nothing known stands in its way.");
        }
    }

    private static String whySchedule(JobsDatabase database, String name) {
        Cause first = Jobs.on(database.dataSource()).admin().whySchedule(name).get(0);
        return first.code() + ": " + masked(first.sentence());
    }

    // schedules
    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void schedule_inEachState_saysIt(int major) throws SQLException {
        JobsDatabase database = database(major);
        assertThat(whySchedule(database, "s")).isEqualTo("unknown: There is no schedule \"s\".");
        database.execute("SELECT howdah.schedule('s', 'q', 'work', cron => '0 3 * * *', overlap => 'skip')");
        assertThat(whySchedule(database, "s")).isEqualTo("no-node: No node works: no time of it is kept.");
        database.execute("INSERT INTO howdah_internal.node (name, features) VALUES ('n', '{job}')");
        try (Connection alive = database.connect();
                Statement statement = alive.createStatement()) {
            statement.execute("SELECT pg_advisory_lock(1215264874, id) FROM howdah_internal.node");
            assertThat(whySchedule(database, "s")).isEqualTo("next-look: A node has yet to find its next time.");
            database.execute("UPDATE howdah.schedule SET next_at = now() + interval '1 hour'");
            assertThat(whySchedule(database, "s")).isEqualTo("not-due: It is due in D, at T.");
            database.execute("UPDATE howdah.schedule SET next_at = now()");
            assertThat(whySchedule(database, "s"))
                    .isEqualTo("due: It is due, since D, and nothing known stands in its way.");
            long last = add(database, "'q', 'work', '1'");
            database.execute("UPDATE howdah.schedule SET last_job = " + last);
            assertThat(whySchedule(database, "s"))
                    .isEqualTo("overlap: Its last job, " + last
                            + ", has not ended; overlap is skip: no job is added meanwhile.");
            database.execute("UPDATE howdah.schedule SET error = 'no such zone'");
            assertThat(whySchedule(database, "s")).isEqualTo("error: It cannot be kept: no such zone.");
            database.execute("SET howdah.actor = 'Ann'; SELECT howdah.pause_schedule('s')");
            assertThat(whySchedule(database, "s")).isEqualTo("paused: It is paused since T, by Ann.");
            database.execute("SELECT howdah.resume_schedule('s')");
            assertThat(database.text("SELECT COALESCE(paused_by, 'none') FROM howdah.schedule"))
                    .isEqualTo("none");
        }
    }
}
