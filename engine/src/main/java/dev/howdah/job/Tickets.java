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
        return of(job, encoded(job));
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
            if (shape == null || before == null || !isLike(job, before)) shape = shape(job, trace);
            lots.add(shape, encoded(job));
            before = job;
        }
        return lots.lots();
    }

    private String encoded(NewJob<?> job) {
        return Payloads.encode(job, codec);
    }

    /** Returns true if the two surely differ in nothing but their payloads. Copies share what they do not change. */
    private static boolean isLike(NewJob<?> one, NewJob<?> other) {
        return one.kind() == other.kind()
                && one.queue() == other.queue()
                && one.priority() == other.priority()
                && one.delay() == other.delay()
                && one.at() == other.at()
                && one.key() == other.key()
                && one.orderKey() == other.orderKey()
                && one.version() == other.version()
                && one.attempts() == other.attempts()
                && one.timeout() == other.timeout();
    }

    private Shape shape(NewJob<?> job, @Nullable String trace) throws SQLException {
        String kind = job.kind().name();
        return new Shape(
                lanes.forJob(job.queue(), kind, job.priority()),
                kind,
                job.priority(),
                job.at() == null ? null : job.at().toString(),
                Delays.micros(job.delay()),
                Shape.Unusual.of(job, trace));
    }
}
