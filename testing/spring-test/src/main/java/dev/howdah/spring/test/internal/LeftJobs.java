package dev.howdah.spring.test.internal;

import dev.howdah.job.JobAdmin;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.spring.internal.node.SpringInstallations;
import dev.howdah.spring.test.HowdahSpringTest;
import java.util.List;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.TestExecutionListener;

/** Cancels and deletes jobs that a test has left, so that the next one does not find them. */
public final class LeftJobs implements TestExecutionListener {
    private static final List<JobState> LEFT =
            List.of(JobState.WAITING, JobState.PLANNED, JobState.RETRYING, JobState.SUSPENDED);

    @Override
    public void afterTestMethod(TestContext test) {
        if (!test.hasApplicationContext()
                || !TestContextAnnotationUtils.hasAnnotation(test.getTestClass(), HowdahSpringTest.class)) return;
        test.getApplicationContext()
                .getBean(SpringInstallations.class)
                .all()
                .forEach(each -> clear(each.jobs().admin()));
    }

    private static void clear(JobAdmin jobs) {
        for (JobState each : LEFT) jobs.cancelAll(JobQuery.in(each));
        // They cannot be cancelled by their state.
        for (JobSummary each : jobs.list(JobQuery.in(JobState.FOLLOWING)).jobs()) jobs.cancel(each.id());
        jobs.deleteAll(JobQuery.in(JobState.FAILED));
    }
}
