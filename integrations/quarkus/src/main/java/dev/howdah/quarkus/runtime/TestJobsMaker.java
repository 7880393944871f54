package dev.howdah.quarkus.runtime;

import dev.howdah.beans.internal.handler.BeanMethod;
import dev.howdah.beans.internal.node.Installation;
import dev.howdah.testkit.TestJobs;
import java.util.List;

/** Makes jobs that run when a test says so. Loaded only where the test kit is there. */
final class TestJobsMaker {
    private TestJobsMaker() {}

    static Object make(Installation of, List<BeanMethod> methods) {
        TestJobs jobs = TestJobs.of(of.sessions(), of.jobsBuilder(methods));
        methods.forEach(each -> each.store(jobs.jobs()));
        return jobs;
    }
}
