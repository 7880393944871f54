package dev.howdah.task.internal.session;

import dev.howdah.internal.wire.ServerMessage;
import dev.howdah.internal.wire.WireListener;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The values of the first row of an answer, as text, and the error if there was one. */
final class FirstRow implements WireListener {
    final List<String> values = new ArrayList<>();

    @Nullable
    ServerMessage error;

    @Override
    public void row(byte[] buffer, int[] offsets, int[] lengths) {
        if (!values.isEmpty()) return;
        for (int i = 0; i < lengths.length; i++)
            values.add(new String(buffer, offsets[i], Math.max(lengths[i], 0), StandardCharsets.US_ASCII));
    }

    @Override
    public void error(ServerMessage message) {
        error = message;
    }
}
