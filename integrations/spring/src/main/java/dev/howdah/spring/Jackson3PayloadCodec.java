package dev.howdah.spring;

import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.TypeReference;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectReader;

/** Payloads as Jackson 3 converts them, with a mapper of the program's own, as that of Spring Boot 4. Safe for use by many threads. */
public final class Jackson3PayloadCodec implements PayloadCodec {
    private final ObjectMapper mapper;
    private final Map<Type, ObjectReader> readers = new ConcurrentHashMap<>();

    private Jackson3PayloadCodec(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    /** Makes a codec that converts as that mapper does, with its modules and settings. */
    public static Jackson3PayloadCodec of(ObjectMapper mapper) {
        return new Jackson3PayloadCodec(Objects.requireNonNull(mapper, "a mapper is needed, not null"));
    }

    @Override
    public String encode(Object payload) {
        return encode(payload, payload.getClass());
    }

    @Override
    public String encode(Object payload, Type type, Subject subject) {
        return encode(payload, type);
    }

    private String encode(Object payload, Type type) {
        try {
            return mapper.writerFor(mapper.constructType(type)).writeValueAsString(payload);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    "cannot be said in JSON: " + type.getTypeName() + ": " + e.getOriginalMessage(), e);
        }
    }

    @Override
    public void prepare(Type type) {
        reader(type);
    }

    @Override
    public <T> T decode(String json, Class<T> type) {
        return read(json, type);
    }

    @Override
    public <T> T decode(String json, TypeReference<T> type) {
        return read(json, type.type());
    }

    private ObjectReader reader(Type type) {
        return readers.computeIfAbsent(type, each -> mapper.readerFor(mapper.constructType(each)));
    }

    private <T> T read(String json, Type type) {
        try {
            T payload = reader(type).readValue(json);
            if (payload == null) throw new IllegalArgumentException("its payload is null");
            return payload;
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    "its payload is no " + type.getTypeName() + ": " + e.getOriginalMessage(), e);
        }
    }
}
