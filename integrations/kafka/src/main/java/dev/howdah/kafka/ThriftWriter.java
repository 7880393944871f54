package dev.howdah.kafka;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Writes structs in Thrift's binary encoding: for each field its type, its number, its value; at the end of a struct a zero. A union is a struct with one field. */
final class ThriftWriter {
    static final byte STRUCT = 12;

    private static final byte STOP = 0;
    private static final byte BOOL = 2;
    private static final byte DOUBLE = 4;
    private static final byte I32 = 8;
    private static final byte I64 = 10;
    private static final byte STRING = 11;
    private static final byte MAP = 13;
    private static final byte LIST = 15;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private void field(byte type, int number) {
        bytes.write(type);
        bytes.write(number >> 8);
        bytes.write(number);
    }

    private void put(int value) {
        bytes.writeBytes(ByteBuffer.allocate(4).putInt(value).array());
    }

    private void put(long value) {
        bytes.writeBytes(ByteBuffer.allocate(8).putLong(value).array());
    }

    /** Begins a struct that is a field; {@link #end} ends it. */
    ThriftWriter struct(int number) {
        field(STRUCT, number);
        return this;
    }

    ThriftWriter end() {
        bytes.write(STOP);
        return this;
    }

    void flag(int number, boolean value) {
        field(BOOL, number);
        bytes.write(value ? 1 : 0);
    }

    void integer(int number, int value) {
        field(I32, number);
        put(value);
    }

    void number(int number, long value) {
        field(I64, number);
        put(value);
    }

    void fraction(int number, double value) {
        field(DOUBLE, number);
        put(Double.doubleToRawLongBits(value));
    }

    void text(int number, String value) {
        binary(number, value.getBytes(StandardCharsets.UTF_8));
    }

    void binary(int number, byte[] value) {
        field(STRING, number);
        put(value.length);
        bytes.writeBytes(value);
    }

    /** Begins a list of so many structs, which follow. */
    void list(int number, int size) {
        field(LIST, number);
        bytes.write(STRUCT);
        put(size);
    }

    /** Begins a map of so many pairs of structs, which follow. */
    void map(int number, int size) {
        field(MAP, number);
        bytes.write(STRUCT);
        bytes.write(STRUCT);
        put(size);
    }

    byte[] bytes() {
        return bytes.toByteArray();
    }
}
