package dev.howdah.spring.internal.node;

import dev.howdah.beans.internal.node.ApplicationBeans;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.spring.HowdahProperties;
import java.util.List;
import java.util.Optional;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * The beans of Spring.
 *
 * @param json which mapper converts payloads, where there is no bean for it
 */
record SpringBeans(ListableBeanFactory beans, HowdahProperties.Json json) implements ApplicationBeans {
    @Override
    public <T> List<T> all(Class<T> type) {
        return beans.getBeanProvider(type).orderedStream().toList();
    }

    @Override
    public <T> Optional<T> only(Class<T> type) {
        if (type == PayloadCodec.class)
            return Optional.ofNullable(ApplicationCodec.of(beans, json)).map(type::cast);
        return Optional.ofNullable(beans.getBeanProvider(type).getIfUnique());
    }
}
