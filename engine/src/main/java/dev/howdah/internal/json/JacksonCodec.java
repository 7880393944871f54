package dev.howdah.internal.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.util.ClassUtil;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.TypeReference;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Payloads as Jackson sees them: records, beans, maps, numbers, texts. A field that a record no longer has is passed over. */
public final class JacksonCodec implements PayloadCodec {
    /** How long a text may be is the database's affair, and it has taken it. */
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    /** Null: the standard one, which takes time to make, and is made when it is needed. */
    private final @Nullable Converter own;

    private final Map<Type, ObjectReader> readers = new ConcurrentHashMap<>();

    /** With the modules that are on the class path. */
    public JacksonCodec() {
        this.own = null;
    }

    /** @param mapper not changed any more */
    public JacksonCodec(ObjectMapper mapper) {
        this.own = new Converter(mapper);
    }

    /** A mapper, and whether numbers are written as Java writes them: no module has them written in another way. */
    private record Converter(ObjectMapper mapper, boolean plainNumbers) {
        private Converter(ObjectMapper mapper) {
            this(mapper, isPlain(mapper, Long.class) && isPlain(mapper, Integer.class));
        }

        private static boolean isPlain(ObjectMapper mapper, Class<?> number) {
            try {
                return ClassUtil.isJacksonStdImpl(
                        mapper.getSerializerProviderInstance().findValueSerializer(number));
            } catch (JsonMappingException e) {
                return false;
            }
        }
    }

    private static final class Standard {
        private static final Converter CONVERTER = new Converter(JsonMapper.builder(FACTORY)
                .findAndAddModules()
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
                .enable(SerializationFeature.WRITE_DATES_WITH_ZONE_ID)
                .disable(DeserializationFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
                .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                .build());
    }

    private Converter converter() {
        return own == null ? Standard.CONVERTER : own;
    }

    @Override
    public String encode(Object payload) {
        Converter converter = converter();
        // The number of a row is what most jobs are about.
        if (converter.plainNumbers && (payload instanceof Long || payload instanceof Integer))
            return payload.toString();
        try {
            return converter.mapper.writeValueAsString(payload);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "cannot be said in JSON: " + payload.getClass().getName() + ": " + e.getOriginalMessage(), e);
        }
    }

    @Override
    public <T> T decode(String json, Class<T> type) {
        return read(json, type);
    }

    @Override
    public <T> T decode(String json, TypeReference<T> type) {
        return read(json, type.type());
    }

    /** A reader finds its deserializers when it is made. */
    @Override
    public void prepare(Type type) {
        try {
            reader(type).readTree("[0, \"\"]");
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private ObjectReader reader(Type type) {
        ObjectMapper mapper = converter().mapper;
        return readers.computeIfAbsent(type, each -> mapper.readerFor(mapper.constructType(each)));
    }

    private <T> T read(String json, Type type) {
        if (json.isEmpty()) throw new IllegalArgumentException("its payload is empty, and no " + name(type));
        try {
            T payload = reader(type).readValue(json);
            if (payload == null) throw new IllegalArgumentException("its payload is null");
            return payload;
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("its payload is no " + name(type) + ": " + e.getOriginalMessage(), e);
        }
    }

    private static String name(Type type) {
        return type instanceof Class<?> plain ? plain.getSimpleName() : type.getTypeName();
    }
}
