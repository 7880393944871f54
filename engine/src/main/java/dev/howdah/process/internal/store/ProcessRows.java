package dev.howdah.process.internal.store;

import dev.howdah.process.Event;
import dev.howdah.process.HistoryRange;
import dev.howdah.process.Payload;
import dev.howdah.spi.PayloadCodec;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads what stands in rows. */
public final class ProcessRows {
    private ProcessRows() {}

    public static Instant time(ResultSet row, int column) throws SQLException {
        return Objects.requireNonNull(timeOrNull(row, column), "a time is missing");
    }

    static @Nullable public Instant timeOrNull(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    static @Nullable public Long longOrNull(ResultSet row, int column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? null : value;
    }

    public static Payload bytes(ResultSet row, int column, PayloadCodec codec) throws SQLException {
        return Payload.of(row.getBytes(column), codec);
    }

    static @Nullable public Payload json(ResultSet row, int column, PayloadCodec codec) throws SQLException {
        String text = row.getString(column);
        return text == null ? null : Payload.of(text.getBytes(StandardCharsets.UTF_8), codec);
    }

    /** Of a request: where it says nothing, {@code usual}. */
    static @Nullable public HistoryRange range(ResultSet row, int column, @Nullable HistoryRange usual)
            throws SQLException {
        boolean backward = row.getBoolean(column);
        if (row.wasNull()) return usual;
        return new HistoryRange(longOrNull(row, column + 1), longOrNull(row, column + 2), backward);
    }

    /** Its id, time, payload, metadata and task, from that column on. */
    public static Event event(ResultSet row, int column, PayloadCodec codec) throws SQLException {
        return new Event(
                row.getLong(column),
                time(row, column + 1),
                bytes(row, column + 2, codec),
                json(row, column + 3, codec),
                row.getLong(column + 4));
    }
}
