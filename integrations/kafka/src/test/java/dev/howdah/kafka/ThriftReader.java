package dev.howdah.kafka;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads Thrift's binary encoding: a struct as a map from numbers of fields to values, texts and binaries as texts. */
final class ThriftReader {
    private final ByteBuffer bytes;

    ThriftReader(byte[] bytes) {
        this.bytes = ByteBuffer.wrap(bytes);
    }

    Map<Integer, Object> struct() {
        Map<Integer, Object> fields = new LinkedHashMap<>();
        for (byte type = bytes.get(); type != 0; type = bytes.get()) {
            int number = bytes.getShort();
            fields.put(number, value(type));
        }
        return fields;
    }

    boolean isAtEnd() {
        return !bytes.hasRemaining();
    }

    private Object value(byte type) {
        return switch (type) {
            case 2 -> bytes.get() == 1;
            case 4 -> bytes.getDouble();
            case 8 -> bytes.getInt();
            case 10 -> bytes.getLong();
            case 11 -> {
                byte[] text = new byte[bytes.getInt()];
                bytes.get(text);
                yield new String(text, StandardCharsets.UTF_8);
            }
            case 12 -> struct();
            case 13 -> {
                byte keys = bytes.get();
                byte values = bytes.get();
                Map<Object, Object> map = new LinkedHashMap<>();
                for (int left = bytes.getInt(); left > 0; left--) map.put(value(keys), value(values));
                yield map;
            }
            case 15 -> {
                byte of = bytes.get();
                List<Object> list = new ArrayList<>();
                for (int left = bytes.getInt(); left > 0; left--) list.add(value(of));
                yield list;
            }
            default -> throw new IllegalArgumentException("a field of type " + type);
        };
    }
}
