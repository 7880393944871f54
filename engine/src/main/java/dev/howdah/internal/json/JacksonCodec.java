package dev.howdah.internal.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.TypeFactory;
import com.fasterxml.jackson.databind.util.ClassUtil;
import com.fasterxml.jackson.databind.util.LRUMap;
import com.fasterxml.jackson.databind.util.LookupCache;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.TypeReference;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Payloads as Jackson sees them: records, beans, maps, numbers, texts. A field that a record no longer has is passed over. */
public final class JacksonCodec implements PayloadCodec {
    /**
     * Null: the standard one, which takes time to make, and is made when it is needed. No other codec shares it: a mapper keeps
     * the classes that it has seen, and with them the class loader of the application.
     */
    private volatile @Nullable Converter converter;

    private static final int INITIAL_TYPES = 16;
    private static final int MOST_TYPES = 200;

    private final Map<Type, ObjectReader> readers = new ConcurrentHashMap<>();

    /** With the modules that are on the class path. */
    public JacksonCodec() {}

    /** @param mapper not changed any more */
    public JacksonCodec(ObjectMapper mapper) {
        this.converter = new Converter(mapper);
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

    private Converter converter() {
        Converter made = converter;
        return made == null ? make() : made;
    }

    private synchronized Converter make() {
        Converter made = converter;
        LookupCache<Object, JavaType> types = new LRUMap<>(INITIAL_TYPES, MOST_TYPES);
        if (made == null)
            converter = made = new Converter(JsonMapper.builder(factory())
                    .typeFactory(TypeFactory.defaultInstance().withCache(types))
                    .findAndAddModules()
                    .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
                    .enable(SerializationFeature.WRITE_DATES_WITH_ZONE_ID)
                    .disable(DeserializationFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
                    .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                    .build());
        return made;
    }

    /** Not a constant: a factory keeps the first mapper that is made with it. How long a text may be is the database's affair. */
    private static JsonFactory factory() {
        return JsonFactory.builder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxStringLength(Integer.MAX_VALUE)
                        .build())
                .build();
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
