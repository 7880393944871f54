package dev.howdah.console.internal.api.worker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.spi.PayloadCodec;

/** Payloads and results as they are: numbers keep their digits. */
final class JsonNodeCodec implements PayloadCodec {
    @Override
    public String encode(Object payload) {
        return ApiJson.text((JsonNode) payload);
    }

    @Override
    public <T> T decode(String json, Class<T> type) {
        return type.cast(ApiJson.stored(json));
    }
}
