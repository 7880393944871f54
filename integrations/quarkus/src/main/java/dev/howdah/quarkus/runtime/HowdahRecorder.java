package dev.howdah.quarkus.runtime;

import dev.howdah.beans.internal.node.Installation;
import dev.howdah.job.Jobs;
import dev.howdah.process.Processes;
import dev.howdah.sweep.Sweeps;
import dev.howdah.task.TaskTable;
import io.quarkus.arc.Arc;
import io.quarkus.arc.SyntheticCreationalContext;
import io.quarkus.runtime.annotations.Recorder;
import java.util.List;
import java.util.function.Function;

/** What an application does when it starts, written when it is built. */
@Recorder
public class HowdahRecorder {
    /** Hands over what was found. */
    public void set(List<String> dataSources, boolean migrated, List<MethodReference> methods) {
        Arc.container()
                .instance(Installations.class)
                .get()
                .set(new Installations.Setup(dataSources, migrated, methods));
    }

    /** The bean of that data source. */
    public Function<SyntheticCreationalContext<Jobs>, Jobs> jobs(String dataSource) {
        return context -> of(dataSource).jobs();
    }

    /** The bean of that data source. */
    public Function<SyntheticCreationalContext<Processes>, Processes> processes(String dataSource) {
        return context -> of(dataSource).processes();
    }

    /** The bean of that data source. */
    public Function<SyntheticCreationalContext<Sweeps>, Sweeps> sweeps(String dataSource) {
        return context -> of(dataSource).sweeps();
    }

    /** The bean of that data source. */
    public Function<SyntheticCreationalContext<TaskTable>, TaskTable> taskTable(String dataSource) {
        return context -> of(dataSource).taskTable();
    }

    /** The bean of that data source, in tests. */
    public Function<SyntheticCreationalContext<Object>, Object> testJobs(String dataSource) {
        return context -> TestJobsMaker.make(
                of(dataSource),
                Arc.container().instance(Installations.class).get().methods(dataSource));
    }

    private static Installation of(String dataSource) {
        return Arc.container().instance(Installations.class).get().of(dataSource);
    }
}
