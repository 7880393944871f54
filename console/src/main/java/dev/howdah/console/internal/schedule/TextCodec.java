package dev.howdah.console.internal.schedule;

import dev.howdah.spi.PayloadCodec;

/** For payloads that are JSON text already: it stays as it was typed, digit for digit. */
final class TextCodec implements PayloadCodec {
    @Override
    public String encode(Object payload) {
        return payload.toString();
    }

    @Override
    public <T> T decode(String json, Class<T> type) {
        return type.cast(json);
    }
}
