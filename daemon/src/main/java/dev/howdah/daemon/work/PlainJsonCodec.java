package dev.howdah.daemon.work;

import dev.howdah.spi.PayloadCodec;

/** Payloads as the JSON text that they are. */
public final class PlainJsonCodec implements PayloadCodec {
    @Override
    public String encode(Object payload) {
        return payload.toString();
    }

    @Override
    public <T> T decode(String json, Class<T> type) {
        return type.cast(json);
    }
}
