package dev.howdah.operations.change;

import dev.howdah.operations.Operation;
import java.util.List;
import java.util.stream.Stream;

/** All operations. */
public final class Operations {
    private Operations() {}

    /** All operations, by subject. */
    public static List<Operation> all() {
        return Stream.of(
                        JobOperations.ALL,
                        EventOperations.ALL,
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
