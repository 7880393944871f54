package dev.howdah.kafka;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.process.Payload;
import dev.howdah.process.notice.Notice;
import java.io.IOException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Notices as machinegun's protocol has them: {@code SinkEvent} for an event, {@code LifecycleEvent} for the rest. */
final class MachinegunFormat {
    private static final ObjectMapper JSON = new ObjectMapper();

    private MachinegunFormat() {}

    static byte[] value(Notice notice) {
        return notice.kind() == Notice.Kind.EVENT ? event(notice) : lifecycle(notice);
    }

    /** A union whose first and only kind is an event of a machine. */
    private static byte[] event(Notice notice) {
        ThriftWriter to = new ThriftWriter();
        to.struct(1);
        to.text(1, notice.namespace());
        to.text(2, notice.process());
        to.number(3, Objects.requireNonNull(notice.event(), "an event without a number"));
        to.text(4, seconds(notice.at()));
        Integer version = formatVersion(notice.metadata());
        if (version != null) to.integer(5, version);
        to.struct(6);
        Payload payload = notice.payload();
        MsgpackValue.write(payload == null ? new byte[0] : payload.bytes(), to);
        return to.end().end().end().bytes();
    }

    private static byte[] lifecycle(Notice notice) {
        ThriftWriter to = new ThriftWriter();
        to.text(1, notice.namespace());
        to.text(2, notice.process());
        to.text(3, seconds(notice.at()));
        to.struct(4).struct(1);
        switch (notice.kind()) {
            case CREATED -> to.struct(1).end();
            case FAILED -> {
                to.struct(2).struct(1).struct(2);
                if (notice.detail() != null) to.text(1, notice.detail());
                to.end().end().end();
            }
            case REPAIRED -> to.struct(2).struct(1).struct(1).end().end().end();
            case REMOVED -> to.struct(3).end();
            case EVENT -> throw new IllegalArgumentException("an event is no change of status");
        }
        return to.end().end().end().bytes();
    }

    private static String seconds(Instant time) {
        return DateTimeFormatter.ISO_INSTANT.format(time.truncatedTo(ChronoUnit.SECONDS));
    }

    /** What the metadata of the event says of it; null if it says nothing that would fit. */
    private static @Nullable Integer formatVersion(@Nullable Payload metadata) {
        if (metadata == null) return null;
        try {
            JsonNode version = JSON.readTree(metadata.bytes()).get("format_version");
            return version != null && version.isInt() ? version.intValue() : null;
        } catch (IOException e) {
            return null;
        }
    }
}
