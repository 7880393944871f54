package dev.howdah.job.internal.store;

import dev.howdah.job.NewJob;
import dev.howdah.spi.PayloadCodec;

/** Payloads in JSON as the database keeps them. */
public final class JobPayloads {
    /** Larger ones are kept apart: they would be written three times otherwise. */
    private static final int LARGE = 8_192;

    private JobPayloads() {}

    /**
     * Returns the payload of a job in JSON.
     *
     * @throws IllegalArgumentException if the codec cannot encode it
     */
    public static String encode(NewJob<?> job, PayloadCodec codec) {
        Object payload = job.payload();
        return payload == null
                ? "null"
                : codec.encode(payload, job.kind().type(), subject(job.kind().name()));
    }

    /** Returns the payload of a job of that kind in JSON. */
    public static String encode(Object payload, String kind, PayloadCodec codec) {
        return codec.encode(payload, subject(kind));
    }

    private static PayloadCodec.Subject subject(String kind) {
        return new PayloadCodec.Subject(PayloadCodec.Use.PAYLOAD, kind);
    }

    /** Returns true if a payload is kept apart from the row of its job. */
    public static boolean isLarge(String payload) {
        return payload.length() > LARGE;
    }
}
