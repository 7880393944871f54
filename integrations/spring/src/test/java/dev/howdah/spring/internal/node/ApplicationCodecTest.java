package dev.howdah.spring.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import dev.howdah.beans.internal.handler.RefusedStart;
import dev.howdah.spi.JacksonPayloadCodec;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.TypeReference;
import dev.howdah.spring.HowdahProperties.Json;
import dev.howdah.spring.Jackson3PayloadCodec;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import tools.jackson.databind.json.JsonMapper;

/** Which codec an application has, by its beans and the property. */
class ApplicationCodecTest {
    record Welcome(String mailAddress) {}

    private static final ObjectMapper OLDER =
            new ObjectMapper().setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE);
    private static final JsonMapper NEWER = JsonMapper.builder()
            .propertyNamingStrategy(tools.jackson.databind.PropertyNamingStrategies.KEBAB_CASE)
            .build();

    private static DefaultListableBeanFactory beans(Object... all) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        for (Object each : all) beans.registerSingleton(each.getClass().getName(), each);
        return beans;
    }

    private static String written(Json json, Object... beans) {
        PayloadCodec codec = Objects.requireNonNull(ApplicationCodec.of(beans(beans), json));
        String text = codec.encode(new Welcome("ann"));
        assertThat(codec.decode(text, Welcome.class)).isEqualTo(new Welcome("ann"));
        assertThat(codec.decode('[' + text + ']', new TypeReference<List<Welcome>>() {}))
                .containsExactly(new Welcome("ann"));
        return text;
    }

    @Test
    void mapper_ofTheApplication_isTakenWhereItIsAskedFor() {
        assertThat(written(Json.SPRING, OLDER)).isEqualTo("{\"mail_address\":\"ann\"}");
        assertThat(written(Json.SPRING, NEWER)).isEqualTo("{\"mail-address\":\"ann\"}");
        assertThat(written(Json.SPRING, OLDER, NEWER)).as("of both").isEqualTo("{\"mail-address\":\"ann\"}");
        assertThat(ApplicationCodec.of(beans(OLDER, NEWER), Json.OWN)).isNull();
    }

    @Test
    void codec_thatIsABean_comesFirst() {
        PayloadCodec own = JacksonPayloadCodec.of(OLDER);
        assertThat(ApplicationCodec.of(beans(own, NEWER), Json.SPRING)).isSameAs(own);
        assertThat(ApplicationCodec.of(beans(own), Json.OWN)).isSameAs(own);
    }

    @Test
    void applicationWithoutAMapper_isToldSo() {
        assertThatThrownBy(() -> ApplicationCodec.of(beans(), Json.SPRING))
                .isInstanceOf(RefusedStart.class)
                .hasMessageContaining("the application has no ObjectMapper");
    }

    @Test
    void whatJackson3CannotConvert_isRefused() {
        Jackson3PayloadCodec codec = Jackson3PayloadCodec.of(NEWER);
        assertThatThrownBy(() -> codec.decode("{", Welcome.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("its payload is no");
        assertThatThrownBy(() -> codec.decode("null", Welcome.class)).hasMessageContaining("its payload is null");
        assertThatThrownBy(() -> codec.encode(new Object() {
                    @SuppressWarnings("unused")
                    public Object getItself() {
                        throw new IllegalStateException("no");
                    }
                }))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot be said in JSON");
    }
}
