package dev.howdah.quarkus.runtime;

import dev.howdah.beans.internal.handler.BeanMethod;
import dev.howdah.beans.internal.node.Installation;
import dev.howdah.testkit.TestJobs;
import io.quarkus.arc.Arc;
import io.quarkus.arc.SyntheticCreationalContext;
import io.quarkus.runtime.annotations.Recorder;
import java.util.List;
import java.util.function.Function;

/** Jobs that run when a test says so. */
@Recorder
public class TestRecorder {
    /** The bean of that data source. */
    public Function<SyntheticCreationalContext<Object>, Object> testJobs(String dataSource) {
        return context -> {
            Installations installations =
                    Arc.container().instance(Installations.class).get();
            Installation its = installations.of(dataSource);
            List<BeanMethod> methods = installations.methods(dataSource);
            TestJobs jobs = TestJobs.of(its.sessions(), its.builder(methods));
            methods.forEach(each -> each.store(jobs.jobs()));
            return jobs;
        };
    }
}
