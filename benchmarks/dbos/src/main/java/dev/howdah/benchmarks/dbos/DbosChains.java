package dev.howdah.benchmarks.dbos;

import com.zaxxer.hikari.HikariDataSource;
import dev.dbos.transact.DBOS;
import dev.dbos.transact.StartWorkflowOptions;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.workflow.Workflow;
import dev.dbos.transact.workflow.WorkflowHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * Chains of immediate steps, each with a result of 100 bytes, by DBOS Transact: as many workflows at once as there are
 * processes in Howdah's {@code chains}. Arguments: the JDBC URL of an empty database, for how many seconds, how many workflows each time.
 */
public final class DbosChains {
    /** Steps of many workflows at once, as many as it will. */
    private static final int CONNECTIONS = 16;

    private static final String RESULT = "x".repeat(100);
    private static final LongAdder STEPS = new LongAdder();
    private static volatile long end;
    private static DBOS dbos;

    private DbosChains() {}

    /** What DBOS makes a proxy of. */
    public interface Chains {
        /** Does one step after the other until it is time to end. */
        String run(String name);
    }

    /** The chains themselves. */
    public static final class ChainsImpl implements Chains {
        @Override
        @Workflow(name = "chain")
        public String run(String name) {
            while (System.nanoTime() - end < 0) {
                dbos.runStep(() -> RESULT, "step");
                STEPS.increment();
            }
            return name;
        }
    }

    /** Prints one line of JSON for each number of workflows. */
    public static void main(String[] arguments) throws Exception {
        long nanos = Long.parseLong(arguments[1]) * 1_000_000_000L;
        try (HikariDataSource source = new HikariDataSource()) {
            source.setJdbcUrl(arguments[0]);
            source.setMaximumPoolSize(CONNECTIONS);
            dbos = new DBOS(DBOSConfig.defaults("chains").withDataSource(source).withAppVersion("1"));
            Chains chains = dbos.registerProxy(Chains.class, new ChainsImpl());
            dbos.launch();
            run(chains, 50, 2_000_000_000L);
            for (int i = 2; i < arguments.length; i++) {
                int workflows = Integer.parseInt(arguments[i]);
                System.out.printf(
                        "{\"scenario\":\"dbos chains\",\"workflows\":%d,\"steps_per_s\":%.0f}%n",
                        workflows, run(chains, workflows, nanos));
            }
            dbos.shutdown();
        }
        System.exit(0);
    }

    private static double run(Chains chains, int workflows, long nanos) throws Exception {
        long began = System.nanoTime();
        end = began + nanos;
        List<WorkflowHandle<String, RuntimeException>> handles = new ArrayList<>();
        for (int i = 0; i < workflows; i++) {
            String name = "w" + began + " " + i;
            handles.add(dbos.startWorkflow(() -> chains.run(name), new StartWorkflowOptions(name)));
        }
        long started = System.nanoTime();
        end = started + nanos;
        long counted = STEPS.sum();
        for (WorkflowHandle<String, RuntimeException> each : handles) each.getResult();
        return (STEPS.sum() - counted) / ((System.nanoTime() - started) / 1e9);
    }
}
