package dev.howdah.benchmarks.dbos;

import com.zaxxer.hikari.HikariDataSource;
import dev.dbos.transact.DBOS;
import dev.dbos.transact.StartWorkflowOptions;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.workflow.Workflow;
import dev.dbos.transact.workflow.WorkflowHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Functions of five steps, a sleep of zero and one signal, by DBOS Transact, which eight threads start, signal and await: what {@code waits} of Howdah
 * measures. Arguments: the JDBC URL of an empty database, how many functions.
 */
public final class DbosFunctions {
    private static final int THREADS = 8;
    private static final int CONNECTIONS = 16;
    private static DBOS dbos;

    private DbosFunctions() {}

    /** What DBOS makes a proxy of. */
    public interface Functions {
        /** One function. */
        long run(long number);
    }

    /** The functions themselves. */
    public static final class FunctionsImpl implements Functions {
        @Override
        @Workflow(name = "function")
        public long run(long number) {
            long sum = 0;
            for (int i = 0; i < 3; i++) sum += dbos.runStep(() -> number, "step " + i);
            dbos.sleep(Duration.ZERO);
            dbos.recv("ok", Duration.ofDays(30));
            for (int i = 3; i < 5; i++) sum += dbos.runStep(() -> number, "step " + i);
            return sum;
        }
    }

    /** Prints a line of JSON for each of three rounds. */
    public static void main(String[] arguments) throws Exception {
        int functions = Integer.parseInt(arguments[1]);
        try (HikariDataSource source = new HikariDataSource()) {
            source.setJdbcUrl(arguments[0]);
            source.setMaximumPoolSize(CONNECTIONS);
            dbos = new DBOS(DBOSConfig.defaults("functions").withDataSource(source).withAppVersion("1"));
            Functions proxy = dbos.registerProxy(Functions.class, new FunctionsImpl());
            dbos.launch();
            run(proxy, functions / 10);
            for (int round = 1; round <= 3; round++)
                System.out.printf(
                        "{\"scenario\":\"dbos functions\",\"round\":%d,\"functions_per_s\":%.1f}%n",
                        round, run(proxy, functions));
            dbos.shutdown();
        }
        System.exit(0);
    }

    private static double run(Functions proxy, int functions) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        long began = System.nanoTime();
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < functions; i++) {
            int number = i;
            String id = "f" + began + " " + i;
            all.add(threads.submit(() -> {
                WorkflowHandle<Long, RuntimeException> handle =
                        dbos.startWorkflow(() -> proxy.run(number), new StartWorkflowOptions(id));
                dbos.send(id, number, "ok");
                return handle.getResult();
            }));
        }
        for (Future<?> each : all) each.get();
        threads.shutdown();
        return functions / ((System.nanoTime() - began) / 1e9);
    }
}
