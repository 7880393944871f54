package dev.howdah.spi;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.internal.json.JacksonCodec;
import java.lang.reflect.Type;
import java.util.Objects;

/** Payloads as Jackson converts them, with a mapper of the program's own. Safe for use by many threads. */
public final class JacksonPayloadCodec implements PayloadCodec {
    private final JacksonCodec codec;

    private JacksonPayloadCodec(ObjectMapper mapper) {
        this.codec = new JacksonCodec(mapper);
    }

    /**
     * Makes a codec that converts as that mapper does, with its modules and settings.
     *
     * @param mapper copied: later changes of it have no effect
     */
    public static JacksonPayloadCodec of(ObjectMapper mapper) {
        return new JacksonPayloadCodec(
                Objects.requireNonNull(mapper, "a mapper is needed, not null").copy());
    }

    @Override
    public String encode(Object payload) {
        return codec.encode(payload);
    }

    @Override
    public void prepare(Type type) {
        codec.prepare(type);
    }

    @Override
    public <T> T decode(String json, Class<T> type) {
        return codec.decode(json, type);
    }

    @Override
    public <T> T decode(String json, TypeReference<T> type) {
        return codec.decode(json, type);
    }
}
