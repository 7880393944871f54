package dev.howdah.console.internal.access;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/** Addresses of proxies, such as {@code 10.0.0.5} and {@code 10.1.0.0/16}. Immutable. */
public final class TrustedProxies {
    private record Range(byte[] address, int bits) {
        boolean contains(byte[] other) {
            if (other.length != address.length) return false;
            for (int i = 0; i < bits; i++) {
                int mask = 0x80 >> i % 8;
                if ((address[i / 8] & mask) != (other[i / 8] & mask)) return false;
            }
            return true;
        }
    }

    private final List<Range> ranges = new ArrayList<>();
    private final List<String> texts;

    /** @throws IllegalArgumentException if a text is no address */
    public TrustedProxies(List<String> addresses) {
        texts = List.copyOf(addresses);
        for (String each : addresses) ranges.add(range(each));
    }

    private static Range range(String text) {
        int slash = text.indexOf('/');
        byte[] address = parsed(slash < 0 ? text : text.substring(0, slash));
        int most = address.length * 8;
        if (slash < 0) return new Range(address, most);
        String bits = text.substring(slash + 1);
        if (!bits.matches("\\d{1,3}") || Integer.parseInt(bits) > most) throw wrong(text);
        return new Range(address, Integer.parseInt(bits));
    }

    private static byte[] parsed(String text) {
        // Only a literal: a name would be asked for elsewhere.
        if (!text.matches("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*")) throw wrong(text);
        try {
            return InetAddress.getByName(text).getAddress();
        } catch (UnknownHostException e) {
            throw wrong(text);
        }
    }

    private static IllegalArgumentException wrong(String text) {
        return new IllegalArgumentException(
                "\"" + text + "\" is no address of a proxy: it has to be one such as 10.0.0.5 or 10.1.0.0/16");
    }

    /** As they were given. */
    public List<String> texts() {
        return texts;
    }

    public boolean isEmpty() {
        return ranges.isEmpty();
    }

    /** Returns whether that is the address of one of them. */
    public boolean contains(String address) {
        byte[] bytes;
        try {
            bytes = parsed(address.replaceAll("[\\[\\]]|%.*", ""));
        } catch (IllegalArgumentException e) {
            return false;
        }
        return ranges.stream().anyMatch(range -> range.contains(bytes));
    }
}
