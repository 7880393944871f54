package dev.howdah.operations.chart;

import java.time.Instant;
import java.util.List;

/**
 * An error over time.
 *
 * @param first when it was first seen in the last 35 days
 * @param points steps without a job are left out
 */
public record ErrorCourse(Instant first, List<ErrorPoint> points) {
    public ErrorCourse {
        points = List.copyOf(points);
    }

    /** How many jobs have failed with it. */
    public long jobs() {
        return points.stream().mapToLong(ErrorPoint::jobs).sum();
    }
}
