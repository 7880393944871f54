package dev.howdah.console;

import dev.howdah.Database;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.FatalException;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Schedule;
import dev.howdah.job.limit.LimitScope;
import dev.howdah.job.limit.Rate;
import dev.howdah.job.workflow.After;
import dev.howdah.job.workflow.Workflow;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import dev.howdah.process.TaskType;
import dev.howdah.sweep.Sweep;
import dev.howdah.task.TaskScheduler;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.awaitility.Awaitility;

/** A database in which something of everything has happened, and goes on happening until it is closed. */
final class DemoData implements AutoCloseable {
    private static final Kind<Map<String, Object>> WELCOME =
            Kind.of("welcome", new dev.howdah.spi.TypeReference<Map<String, Object>>() {});
    private static final Kind<String> CHARGE = Kind.of("charge", String.class);
    private static final Kind<String> REPORT = Kind.of("report", String.class);

    private final CountDownLatch report = new CountDownLatch(1);
    private final TaskScheduler scheduler;
    private final Jobs jobs;
    private final Processes processes;

    DemoData(TestDatabase database) {
        scheduler = TaskScheduler.on(Database.of(database.uri())).start();
        DataSource source = ConsoleFixtures.source(database);
        jobs = Jobs.on(source)
                .queues("mail", "payments")
                .nodeName("shop-1")
                .handle(WELCOME, (user, job) -> {})
                .handle(CHARGE, (card, job) -> {
                    throw new FatalException("card " + card + " was refused: \"insufficient funds\"");
                })
                .handle(REPORT, (day, job) -> {
                    job.log("counting the orders of " + day);
                    job.progress(0.4, "page 12 of 30");
                    report.await();
                })
                .start();
        processes = Processes.on(source)
                .namespace(
                        Namespace.builder(
                                        "order",
                                        (task, process) -> task.type() == TaskType.CALL
                                                ? Intent.none().event("paid").response(process.lastEventId() + 1)
                                                : Intent.none().event("ordered"))
                                .build(),
                        notices -> {})
                .start();
        tasks(database);
        jobs();
        processes.init("order", "order-42", "three chairs");
        processes.call("order", "order-42", "pay");
        for (int order = 1; order <= 12; order++) processes.init("order", "order-" + order, "a table");
        sweeps(database);
    }

    /** A sweep that is half way through, and one that is done. */
    private static void sweeps(TestDatabase database) {
        try (Connection connection = database.connect()) {
            Sweep.install(connection);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        database.execute("""
                INSERT INTO howdah.sweep (name, definition, total, exact, done)
                VALUES ('mailing', '{"table": "public.customer", "where": "mailed IS NULL", "key": "id", "mark": "mailed = now()", "sql": "SELECT mail(id) FROM batch"}', 120000, true, 48000);
                INSERT INTO howdah.sweep (name, definition, total, exact, done, state)
                VALUES ('archive', '{"table": "public.customer", "key": "id", "mark": "archived = true"}', 90000, true, 90000, 'done');
                INSERT INTO howdah.sweep_error (sweep, key, error)
                SELECT 1, ARRAY[n::text], CASE WHEN n % 3 = 0 THEN 'no address for customer ' || n ELSE 'mailbox is full' END
                FROM generate_series(1, 12) n;
                """);
    }

    private static void tasks(TestDatabase database) {
        Awaitility.await()
                .atMost(Patience.LIMIT)
                .until(() -> "t".equals(database.value("SELECT to_regclass('public.task') IS NOT NULL")));
        database.execute("""
                CREATE TABLE customer (id bigint PRIMARY KEY, name text, balance numeric);
                INSERT INTO customer SELECT n, 'customer ' || n, n * 10 FROM generate_series(1, 3) n;
                INSERT INTO task (input) VALUES ('SELECT id, name, balance -- what they owe
                FROM customer WHERE balance > 5 ORDER BY id');
                INSERT INTO task (input) VALUES ('SELECT no_such_column FROM customer');
                INSERT INTO task (input, "group") VALUES ('SELECT count(*) FROM customer', 'nightly');
                INSERT INTO task (input, plan, "group") VALUES ('VACUUM customer', now() + interval '3 hours', 'nightly');
                INSERT INTO task (input, plan, cron) VALUES ('ANALYZE customer', now() + interval '1 day', '0 3 * * *');
                """);
        Awaitility.await()
                .atMost(Patience.LIMIT)
                .until(() -> "3".equals(database.value("SELECT count(*) FROM task WHERE state IN ('DONE', 'FAIL')")));
    }

    private void jobs() {
        for (int user = 1; user <= 40; user++)
            jobs.add(NewJob.of(WELCOME, Map.<String, Object>of("user", user)).queue("mail"));
        for (int card = 1; card <= 5; card++)
            jobs.add(NewJob.of(CHARGE, "4111-" + card).queue("payments").tags("shop"));
        jobs.workflows()
                .add(Workflow.of("june")
                        .job(
                                "orders",
                                NewJob.of(WELCOME, Map.<String, Object>of("user", 1))
                                        .queue("mail"))
                        .job(
                                "visits",
                                NewJob.of(WELCOME, Map.<String, Object>of("user", 2))
                                        .queue("mail"))
                        .job("sum", NewJob.of(Kind.of("merge", String.class), "June"), After.done("orders", "visits"))
                        .job("letter", NewJob.of(Kind.of("print", String.class), "June"), After.done("sum")));
        LimitScope payments = LimitScope.queue("payments");
        jobs.admin().limits().setConcurrency(payments, 5);
        jobs.admin()
                .limits()
                .setRate(
                        payments.forEachGroup(),
                        Rate.of(100, Duration.ofMinutes(1)).burst(10));
        long running = jobs.add(NewJob.of(REPORT, "Monday").queue("mail")).id();
        jobs.add(NewJob.of(WELCOME, Map.<String, Object>of("user", 41))
                .queue("mail")
                .delay(Duration.ofHours(2)));
        jobs.schedules()
                .put(
                        Schedule.cron("daily-report", "30 3 * * *").zone("Europe/Berlin"),
                        NewJob.of(REPORT, "daily").queue("mail"));
        Awaitility.await()
                .atMost(Patience.LIMIT)
                .until(() -> jobs.admin().progress(running).isPresent());
        Awaitility.await()
                .atMost(Patience.LIMIT)
                .until(() -> jobs.admin().count(dev.howdah.job.query.JobQuery.in(dev.howdah.job.query.JobState.FAILED))
                        == 5);
    }

    Jobs shop() {
        return jobs;
    }

    @Override
    public void close() {
        report.countDown();
        processes.close();
        jobs.close();
        scheduler.close();
    }
}
