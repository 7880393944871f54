package dev.howdah.job;

import dev.howdah.internal.trace.Tracing;
import dev.howdah.spi.PayloadCodec;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes of jobs what is written: finds their lanes, says their payloads in JSON. Safe for use by many threads. */
final class Tickets {
    private static final Tracing TRACING = Tracing.find(Tickets.class);

    private final Lanes lanes;
    private final PayloadCodec codec;

    Tickets(Lanes lanes, PayloadCodec codec) {
        this.lanes = lanes;
        this.codec = codec;
    }

    /** @throws IllegalArgumentException if the payload cannot be said in JSON */
    Ticket of(NewJob<?> job) throws SQLException {
        return of(job, job.encoded(codec));
    }

    /** With that payload, which is JSON already. */
    Ticket of(NewJob<?> job, String payload) throws SQLException {
        return new Ticket(shape(job, TRACING.current()), payload);
    }

    /** Many, in their order; most differ in nothing but their payloads. */
    List<Lot> of(List<? extends NewJob<?>> jobs) throws SQLException {
        String trace = TRACING.current();
        Lot.Collector lots = new Lot.Collector();
        NewJob<?> before = null;
        Shape shape = null;
        for (NewJob<?> job : jobs) {
            if (shape == null || before == null || !job.isLike(before)) shape = shape(job, trace);
            lots.add(shape, job.encoded(codec));
            before = job;
        }
        return lots.lots();
    }

    private Shape shape(NewJob<?> job, @Nullable String trace) throws SQLException {
        String kind = job.kind().name();
        return new Shape(
                lanes.forJob(job.queueName(), kind, job.priorityValue()),
                kind,
                job.priorityValue(),
                job.moment() == null ? null : job.moment().toString(),
                Delays.micros(job.delayTime()),
                Shape.Unusual.of(job, trace));
    }
}
