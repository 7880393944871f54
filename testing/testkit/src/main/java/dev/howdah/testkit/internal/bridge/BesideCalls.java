package dev.howdah.testkit.internal.bridge;

import dev.howdah.job.Jobs;
import dev.howdah.process.Processes;
import dev.howdah.sweep.Sweeps;
import dev.howdah.task.TaskTable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * All other public calls of the API: found by reflection, so that one that is new is tried, too. Each has to do the same in any situation as
 * without a transaction.
 */
public final class BesideCalls {
    /** They end what is tested, or join. Those of the second kind are in {@link JoiningCalls}. */
    private static final Set<String> LEFT_OUT = Set.of(
            "close",
            "Jobs.add",
            "Jobs.addAll",
            "Jobs.addEach",
            "Jobs.addAsync",
            "Jobs.emit",
            "Jobs.signal",
            "Workflows.add",
            "Workflows.addJobs",
            "Processes.init");

    private final Map<String, Call> all = new LinkedHashMap<>();
    private final Map<String, String> wanted = new LinkedHashMap<>();

    private record Call(Object target, Method method) {
        String outcome() {
            try {
                method.invoke(target, Arguments.of(method));
                return "returned";
            } catch (InvocationTargetException e) {
                return "threw " + e.getCause();
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public BesideCalls(DataSource pool, Jobs jobs, Processes processes) {
        add(Jobs.class, jobs);
        add(jobs.admin().getClass(), jobs.admin());
        add(dev.howdah.job.limit.JobLimits.class, jobs.admin().limits());
        add(dev.howdah.job.log.LogQueues.class, jobs.admin().logQueues());
        add(dev.howdah.job.workflow.Workflows.class, jobs.workflows());
        add(dev.howdah.job.history.JobHistory.class, jobs.history());
        add(jobs.schedules().getClass(), jobs.schedules());
        add(Processes.class, processes);
        add(Sweeps.class, Sweeps.on(pool));
        TaskTable tasks = TaskTable.on(pool, "public", "task");
        add(TaskTable.class, tasks);
        add(tasks.schedules().getClass(), tasks.schedules());
        // The second time things are there that the first one has made.
        all.values().forEach(Call::outcome);
        all.forEach((name, call) -> wanted.put(name, call.outcome()));
    }

    private void add(Class<?> type, Object target) {
        Stream.of(type.getMethods())
                .filter(each -> each.getDeclaringClass() == type && !Modifier.isStatic(each.getModifiers()))
                .filter(each -> !List.of(each.getParameterTypes()).contains(Connection.class))
                .filter(each -> !LEFT_OUT.contains(each.getName())
                        && !LEFT_OUT.contains(type.getSimpleName() + "." + each.getName()))
                .sorted(Comparator.comparing(Method::toString))
                .forEach(each -> {
                    each.setAccessible(true);
                    all.put(name(type, each), new Call(target, each));
                });
    }

    private static String name(Class<?> type, Method method) {
        return Stream.of(method.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", type.getSimpleName() + "." + method.getName() + "(", ")"));
    }

    /** The names of all calls. */
    public Set<String> names() {
        return all.keySet();
    }

    /** Does all calls in one situation after the other. @param wrong gets what did something else */
    public void compare(AnySituation situation, List<String> wrong) throws Exception {
        for (Map.Entry<String, Call> each : all.entrySet()) {
            String[] outcome = {"was not called"};
            situation.around(() -> outcome[0] = each.getValue().outcome());
            String usual = wanted.get(each.getKey());
            if (!outcome[0].equals(usual)) wrong.add(each.getKey() + ": " + outcome[0] + ", and otherwise " + usual);
        }
    }
}
