package dev.howdah.spring.internal.node;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.beans.internal.handler.RefusedStart;
import dev.howdah.spi.JacksonPayloadCodec;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.spring.HowdahProperties;
import dev.howdah.spring.Jackson3PayloadCodec;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.ClassUtils;

/** The codec of payloads that an application wants. */
final class ApplicationCodec {
    private static final boolean JACKSON_3 =
            ClassUtils.isPresent("tools.jackson.databind.ObjectMapper", ApplicationCodec.class.getClassLoader());

    private ApplicationCodec() {}

    /** The bean, or one of the mapper that is a bean if that is asked for; null: that of the library. */
    static @Nullable PayloadCodec of(ListableBeanFactory beans, HowdahProperties.Json json) {
        PayloadCodec own = beans.getBeanProvider(PayloadCodec.class).getIfUnique();
        if (own != null || json == HowdahProperties.Json.OWN) return own;
        PayloadCodec newer = JACKSON_3 ? Newer.of(beans) : null;
        if (newer != null) return newer;
        ObjectMapper mapper = beans.getBeanProvider(ObjectMapper.class).getIfAvailable();
        if (mapper != null) return JacksonPayloadCodec.of(mapper);
        throw new RefusedStart(
                "howdah.json=spring, and the application has no ObjectMapper.",
                "Add the dependency spring-boot-starter-json (spring-boot-starter-jackson in Spring Boot 4), or remove the property.");
    }

    /** Loaded only where Jackson 3 is there. */
    private static final class Newer {
        private Newer() {}

        static @Nullable PayloadCodec of(ListableBeanFactory beans) {
            tools.jackson.databind.ObjectMapper mapper = beans.getBeanProvider(
                            tools.jackson.databind.ObjectMapper.class)
                    .getIfAvailable();
            return mapper == null ? null : Jackson3PayloadCodec.of(mapper);
        }
    }
}
