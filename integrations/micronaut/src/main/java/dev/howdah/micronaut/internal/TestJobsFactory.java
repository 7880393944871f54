package dev.howdah.micronaut.internal;

import dev.howdah.beans.internal.handler.BeanMethod;
import dev.howdah.testkit.TestJobs;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.EachBean;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Requires;
import java.util.List;

/** Jobs that run when a test says so, of each data source; where the test kit is among the dependencies. */
@Factory
@Requires(classes = TestJobs.class)
final class TestJobsFactory {
    @EachBean(InstallationFactory.Named.class)
    @Bean(preDestroy = "close")
    TestJobs testJobs(InstallationFactory.Named of) {
        List<BeanMethod> methods = of.methods();
        TestJobs jobs =
                TestJobs.of(of.installation().sessions(), of.installation().jobsBuilder(methods));
        methods.forEach(each -> each.store(jobs.jobs()));
        return jobs;
    }
}
