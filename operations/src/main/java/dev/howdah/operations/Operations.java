package dev.howdah.operations;

import dev.howdah.operations.change.CalendarOperations;
import dev.howdah.operations.change.JobOperations;
import dev.howdah.operations.change.LimitOperations;
import dev.howdah.operations.change.LogQueueOperations;
import dev.howdah.operations.change.PipelineOperations;
import dev.howdah.operations.change.ProcessOperations;
import dev.howdah.operations.change.QueueOperations;
import dev.howdah.operations.change.RetentionOperations;
import dev.howdah.operations.change.ScheduleOperations;
import dev.howdah.operations.change.SessionOperations;
import dev.howdah.operations.change.SweepOperations;
import dev.howdah.operations.change.TagOperations;
import dev.howdah.operations.change.TaskOperations;
import dev.howdah.operations.change.TaskScheduleOperations;
import dev.howdah.operations.change.TokenOperations;
import dev.howdah.operations.change.WorkflowOperations;
import java.util.List;
import java.util.stream.Stream;

/** All operations. */
public final class Operations {
    private Operations() {}

    /** All operations, by subject. */
    public static List<Operation> all() {
        return Stream.of(
                        JobOperations.ALL,
                        QueueOperations.ALL,
                        LimitOperations.ALL,
                        ScheduleOperations.ALL,
                        CalendarOperations.ALL,
                        SweepOperations.ALL,
                        SessionOperations.ALL,
                        LogQueueOperations.ALL,
                        WorkflowOperations.ALL,
                        TagOperations.ALL,
                        RetentionOperations.ALL,
                        PipelineOperations.ALL,
                        TokenOperations.ALL,
                        TaskOperations.ALL,
                        TaskScheduleOperations.ALL,
                        ProcessOperations.ALL)
                .flatMap(List::stream)
                .toList();
    }
}
