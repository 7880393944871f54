package dev.howdah.kafka;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads Erlang's external term format, as far as data need it: atoms, tuples, lists, maps, binaries, whole numbers of 64 bits, fractions.
 * They become {@link Atom}, {@link Tuple}, {@code List}, {@code Map}, {@code byte[]}, {@code Long} and {@code Double}.
 */
final class ErlangTerm {
    static final Atom TRUE = new Atom("true");
    static final Atom FALSE = new Atom("false");

    private static final int VERSION = 131;
    private static final int COMPRESSED = 80;
    private static final int DEEPEST = 100;
    private static final int LARGEST = 64 << 20;

    private final ByteBuffer bytes;

    record Atom(String name) {}

    record Tuple(List<Object> parts) {}

    /** It is no term, or one of other things. */
    private static final class NoTerm extends Exception {
        private static final long serialVersionUID = 1;
    }

    private ErlangTerm(ByteBuffer bytes) {
        this.bytes = bytes;
    }

    /** Null: these bytes are no such term. */
    static @Nullable Object of(byte[] bytes) {
        if (bytes.length < 2 || (bytes[0] & 0xff) != VERSION) return null;
        try {
            ByteBuffer rest = ByteBuffer.wrap(bytes, 1, bytes.length - 1);
            if (bytes[1] == COMPRESSED) rest = inflated(bytes);
            Object term = new ErlangTerm(rest).term(0);
            return rest.hasRemaining() ? null : term;
        } catch (NoTerm | BufferUnderflowException | IOException e) {
            return null;
        }
    }

    private static ByteBuffer inflated(byte[] bytes) throws IOException, NoTerm {
        int size = ByteBuffer.wrap(bytes, 2, bytes.length - 2).getInt();
        if (size < 0 || size > LARGEST) throw new NoTerm();
        try (InflaterInputStream in = new InflaterInputStream(new ByteArrayInputStream(bytes, 6, bytes.length - 6))) {
            byte[] all = in.readNBytes(size + 1);
            if (all.length != size) throw new NoTerm();
            return ByteBuffer.wrap(all);
        }
    }

    private Object term(int depth) throws NoTerm {
        if (depth > DEEPEST) throw new NoTerm();
        int tag = bytes.get() & 0xff;
        return switch (tag) {
            case 70 -> bytes.getDouble();
            case 97 -> (long) (bytes.get() & 0xff);
            case 98 -> (long) bytes.getInt();
            case 110 -> whole(bytes.get() & 0xff);
            case 100 -> atom(bytes.getShort() & 0xffff, true);
            case 115 -> atom(bytes.get() & 0xff, true);
            case 118 -> atom(bytes.getShort() & 0xffff, false);
            case 119 -> atom(bytes.get() & 0xff, false);
            case 104 -> new Tuple(terms(bytes.get() & 0xff, depth));
            case 105 -> new Tuple(terms(size(), depth));
            case 106 -> List.of();
            case 107 -> small(bytes.getShort() & 0xffff);
            case 108 -> list(depth);
            case 109 -> some(size());
            case 116 -> map(depth);
            default -> throw new NoTerm();
        };
    }

    /** Of something that has a byte at least for each. */
    private int size() throws NoTerm {
        int size = bytes.getInt();
        if (size < 0 || size > bytes.remaining()) throw new NoTerm();
        return size;
    }

    private byte[] some(int size) {
        byte[] some = new byte[size];
        bytes.get(some);
        return some;
    }

    private Atom atom(int size, boolean latin) {
        return new Atom(new String(some(size), latin ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8));
    }

    /** The smallest byte first. */
    private Long whole(int size) throws NoTerm {
        boolean negative = bytes.get() != 0;
        byte[] little = some(size);
        byte[] big = new byte[size];
        for (int i = 0; i < size; i++) big[i] = little[size - 1 - i];
        BigInteger value = new BigInteger(negative ? -1 : 1, big);
        if (value.bitLength() > 63) throw new NoTerm();
        return value.longValue();
    }

    private List<Object> terms(int size, int depth) throws NoTerm {
        List<Object> terms = new ArrayList<>(Math.min(size, 1_000));
        for (int i = 0; i < size; i++) terms.add(term(depth + 1));
        return terms;
    }

    /** A list of bytes. */
    private List<Object> small(int size) {
        List<Object> numbers = new ArrayList<>();
        for (byte each : some(size)) numbers.add((long) (each & 0xff));
        return numbers;
    }

    private List<Object> list(int depth) throws NoTerm {
        List<Object> list = terms(size(), depth);
        // What ends it is an empty list.
        if (!term(depth + 1).equals(List.of())) throw new NoTerm();
        return list;
    }

    private Map<Object, Object> map(int depth) throws NoTerm {
        int size = size();
        Map<Object, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < size; i++) map.put(term(depth + 1), term(depth + 1));
        return map;
    }
}
